"""A stage's validation report as one self-contained page: no script, no font, no link."""

from reclife.contracts import ValidationReport


def render(report: ValidationReport) -> str:
    """Return the HTML page of `report`, failures first."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("reclife.validation", ""), autoescape=True, trim_blocks=True
    )
    outcomes = [found for suite in report.suites for found in suite.outcomes]
    return environment.get_template("page.html.j2").render(
        report=report,
        checks=len(outcomes),
        failed=sum(not found.success for found in outcomes),
    )
