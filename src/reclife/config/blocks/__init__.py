"""The components that a model can be declared of."""

from typing import Annotated

from pydantic import Field

from reclife.config.blocks.rows import (
    CompressedInteractionBlock,
    FactorizationBlock,
    FieldAttentionBlock,
    FlattenBlock,
    NumberRowsBlock,
    StackBlock,
)
from reclife.config.blocks.sequences import (
    AppendBlock,
    EncoderBlock,
    PoolBlock,
    TargetAttentionBlock,
)
from reclife.config.blocks.sources import (
    FieldsBlock,
    FirstOrderBlock,
    NumbersBlock,
    SequenceBlock,
)
from reclife.config.blocks.vectors import (
    BiasBlock,
    ConcatBlock,
    CrossBlock,
    DropoutBlock,
    GateBlock,
    LinearBlock,
    NormalizeBlock,
    PerceptronBlock,
    ProductBlock,
    SumBlock,
)

AnyBlock = (
    FieldsBlock
    | FirstOrderBlock
    | NumbersBlock
    | SequenceBlock
    | NumberRowsBlock
    | FlattenBlock
    | ConcatBlock
    | StackBlock
    | SumBlock
    | ProductBlock
    | PoolBlock
    | AppendBlock
    | TargetAttentionBlock
    | EncoderBlock
    | FieldAttentionBlock
    | FactorizationBlock
    | CompressedInteractionBlock
    | CrossBlock
    | PerceptronBlock
    | LinearBlock
    | BiasBlock
    | GateBlock
    | NormalizeBlock
    | DropoutBlock
)
Block = Annotated[AnyBlock, Field(discriminator="kind")]
