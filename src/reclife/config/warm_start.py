"""Training that goes on from an earlier model, and rows that are forgotten."""

from typing import final

from pydantic import Field, PositiveInt

from reclife.config.schema import Schema


@final
class WarmStartConfig(Schema):
    """Starts from the weights of the model that the catalog names as `earlier_model`.

    Rows and layers keep their weights bit for bit; rows of new values start as declared.
    """

    optimizer: bool = Field(
        default=True,
        description="Also take over what the optimisers know of each row and layer; the model is "
        "then kept together with it.",
    )
    fresh: tuple[str, ...] = Field(
        default=(),
        description="Patterns of tables and layers, `table/<table>` or `dense/<layer>`, that "
        "start anew.",
    )


@final
class EvictionConfig(Schema):
    """Rows that no batch touched for long are forgotten when the state is saved.

    They start again where an unknown value does: at zero, their optimiser anew.
    """

    after_steps: PositiveInt = Field(description="Steps without being touched.")
