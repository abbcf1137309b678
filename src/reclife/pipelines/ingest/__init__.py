"""Raw sources become canonical tables; what breaks the contract is set aside with a reason."""
