"""Types of arrays, one name for each dtype."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
I8 = NDArray[np.int8]
U32 = NDArray[np.uint32]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
Flags = NDArray[np.bool_]
AnyArray = NDArray[Any]
