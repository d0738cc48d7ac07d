"""`venire.yaml`: samples, protocol, panel, runner and ledger."""

from venire.config.file import JudgeConfig, SamplesConfig, VenireConfig
from venire.config.settings import Settings, load_settings

__all__ = ["JudgeConfig", "SamplesConfig", "Settings", "VenireConfig", "load_settings"]
