"""Asynchronous training: tables and dense weights live on servers, workers pull and push."""
