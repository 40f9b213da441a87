"""Hand histories as poker sites write them: one tokenizer of lines per site, over one state machine for all tables.

Door: `site_text.SiteText`.
"""

from counterplay.opponents.histories.sites.site_text import SiteText

__all__ = ["SiteText"]
