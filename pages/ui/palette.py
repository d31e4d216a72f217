"""The colours of the pictures: at least 3:1 against the light and the dark page, so a figure needs no theme."""

from typing import Literal

BadgeColor = Literal["red", "orange", "yellow", "blue", "green", "violet", "gray"]

BLUE = "#4a7fd4"
TEAL = "#1f9a8a"
AMBER = "#b9770e"
VIOLET = "#8f6ad6"
ROSE = "#d0587e"
GREEN = "#5b9a3c"
GRAY = "#7b8794"
FAINT = "rgba(123, 135, 148, 0.14)"
CLEAR = "rgba(0, 0, 0, 0)"

SIGNALS = (BLUE, TEAL, AMBER, VIOLET, ROSE, GREEN, GRAY)
