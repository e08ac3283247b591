from .options import option as option
from .tensor import Tensor as Tensor
