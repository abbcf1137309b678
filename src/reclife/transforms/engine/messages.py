"""Arrow tables as values of type binary: what Spark moves between its Python workers."""

import pyarrow as pa


def packed(table: pa.Table) -> bytes:
    """Return a table as one Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def unpacked(value: pa.BinaryScalar) -> pa.Table:
    """Return the table of a stream, its values where they lie in memory."""
    with pa.ipc.open_stream(value.as_buffer()) as stream:
        return stream.read_all()
