from .client import Client as Client
from .config import load_settings as load_settings
from .domain.judgement import (
    Evidence as Evidence,
)
from .domain.judgement import (
    EvidenceLevel as EvidenceLevel,
)
from .domain.judgement import (
    Judgement as Judgement,
)
from .domain.judgement import (
    Status as Status,
)
from .domain.protocol import EvalProtocol as EvalProtocol
from .domain.sample import Bundle as Bundle
from .domain.sample import Sample as Sample
from .errors import VenireError as VenireError
from .inputs.reader import read_samples as read_samples
from .ledger.location import open_ledger as open_ledger
from .protocols.catalogue import find_protocol as find_protocol
from .shapes.check import Checker as Checker
from .shapes.check import check as check
from .shapes.check import check_all as check_all
from .version import __version__ as __version__
from .workflows.judge import run as run
