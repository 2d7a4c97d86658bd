# tests/python/test_live.py: the page of `mottle live` from Python: it can be opened, closed, and does not outlive the process
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

import mottle
from conftest import GRAY_SCOTT


@pytest.fixture(scope="module", autouse=True)
def _needs_the_module():
    try:
        mottle.live(GRAY_SCOTT).close()
    except mottle.DeviceError as error:
        pytest.skip(str(error).splitlines()[0])


def fetch(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.status, answer.read()


def test_the_page_is_there_until_it_is_closed():
    with mottle.live("gray-scott", size=(64, 48), F=0.04) as page:
        status, body = fetch(page.url)
        assert status == 200 and b"<" in body
        assert f'src="{page.url}"'.replace("&", "&amp;") in page._repr_html_() and not page.closed
        url = page.url
    assert page.closed
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        fetch(url)
    page.close()


def test_a_simulation_opens_its_model():
    sim = mottle.Simulation(GRAY_SCOTT)
    sim.F = 0.03
    page = sim.live(height=300)
    assert fetch(page.url)[0] == 200 and 'height="300"' in page._repr_html_()
    sim.advance(10)  # goes on beside it
    page.close()


def test_what_is_wrong_is_said():
    import numpy as np
    with pytest.raises(mottle.InputError):
        mottle.live("gray-skott")
    with pytest.raises(mottle.ModelError):
        mottle.live("equations.u = '1 +'\ninitial.u = 1\n")
    with pytest.raises(mottle.InputError, match="in memory"):
        mottle.live(GRAY_SCOTT, F=np.zeros((16, 24)))
    with pytest.raises(mottle.InputError, match="did you mean 'height'"):
        mottle.Simulation(GRAY_SCOTT).live(heigth=3)
    with pytest.raises(mottle.Error):
        mottle.live(GRAY_SCOTT, host="300.300.300.300")


def test_the_process_ends_with_a_page_open():
    code = f"import mottle\npage = mottle.live({GRAY_SCOTT!r})\nprint(page.url)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("http"), done.stderr
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        fetch(done.stdout.strip())
