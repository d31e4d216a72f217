"""Evidence Explorer: `streamlit run app.py`."""

import streamlit as st

from pages.ui.nav import navigation

st.session_state.framed = True
navigation().run()
