from pathlib import Path

from lab.extraction.evaluation import Row
from lab.extraction.labelled import LabelledPage, labelled_pages
from lab.extraction.left_out import FEW, MIN_PAGES, collections, halves, means, report, without
from lab.extraction.samples import Sample
from lab.extraction.scores import mean_scores, score_page
from tests.lab.extraction.test_train import made_up_pages


def label(name: str, site: str, body: str = "文") -> LabelledPage:
    return LabelledPage(f"zh/{name}/{site}", site, "zh", "article", "", body, None, None, Path())


def test_small_collections_are_one_and_kinds_of_one_labeller_go_together() -> None:
    many = [label("old", f"site{n}.cn") for n in range(MIN_PAGES)]
    both = [label(f"magic_{n % 2}", f"m{n}.cn") for n in range(MIN_PAGES)]
    of = collections([*many, *both, label("tiny", "x.cn"), label("small", "y.cn")])
    assert set(of.values()) == {"old", "magic", FEW}


def test_sites_of_a_left_out_collection_are_left_out_everywhere() -> None:
    labels = [label("one", "news.a.cn"), label("two", "www.a.cn"), label("two", "b.cn")]
    of = {each.id: each.id.split("/")[1] for each in labels}
    samples = [Sample(each, None, None, None) for each in labels]  # type: ignore[arg-type]
    assert [item.label.site for item in without(samples, labels, of, "one")] == ["b.cn"]


def test_a_collection_has_two_halves_and_a_site_is_in_one_of_them() -> None:
    labels = [label("one", f"{page}.site{site}.cn") for site in range(MIN_PAGES) for page in ("www", "news")]
    of = halves(labels)
    assert set(of.values()) == {"one, half 1", "one, half 2"}
    assert all(len({of[each.id] for each in labels if each.group == group}) == 1 for group in {x.group for x in labels})


def test_each_collection_counts_alike() -> None:
    right, wrong = score_page(("一", None, None), ("一", "", None)), score_page(("一", None, None), ("二", "", None))
    rows = [Row("best", "zh", "article", mean_scores([right] * 9)), Row("best", "zh", "article", mean_scores([wrong]))]
    (mean,) = means(rows)
    assert (mean.scores.f1, mean.scores.pages, mean.scores.title) == (0.5, 10, None)


def test_report_of_made_up_collections(tmp_path: Path) -> None:
    for number, name in enumerate(("north", "south")):
        made_up_pages(tmp_path / "zh" / name, sites=5, pages=2)
        truth = tmp_path / "zh" / name / "truth.jsonl"
        truth.write_text(truth.read_text(encoding="utf-8").replace("site", f"site{number}"), encoding="utf-8")
    told: list[str] = []
    lines = "\n".join(report(labelled_pages(tmp_path), {}, told.append))
    assert told == ["training without north", "training without south"]
    assert "north, left out" in lines
    assert "mean of what was left out" in lines
    assert lines.count("zh article") == 3
