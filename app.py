"""Evidence Explorer: `streamlit run app.py`."""

import streamlit as st

from pages.ui.nav import ICON, navigation

st.set_page_config(page_title="Evidence Explorer", page_icon=ICON, layout="wide")
st.session_state.framed = True
navigation().run()
