"""`venire votes agreement | reliability | quality | suspicious`, of one table and over many files."""

import json

import polars as pl
import pytest

from making_votes import vote_row
from venire.errors import InputError, PoolingError, UsageError
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from votes_command import run_votes


@pytest.fixture
def folder(tmp_path):
    """Three files of the votes of four people and a judge, and all rows in one."""
    folder = tmp_path / "votes"
    folder.mkdir()
    rows = [
        vote_row(
            float(number % 3 == 0 or (voter == "v3" and number % 2)),
            day=number + place / 9,
            voter=voter,
            item=f"i{number}",
        )
        for number in range(30)
        for place, voter in enumerate(["v0", "v1", "v2", "v3"])
    ]
    rows += [vote_row(0.5, day=number, voter="bot", item=f"i{number}", kind="judge") for number in range(0, 30, 3)]
    rows[7]["vote"] = 2.0
    frame = pl.DataFrame(rows)
    for number in range(3):
        frame.gather_every(3, number).write_parquet(folder / f"{number}.parquet")
    frame.write_parquet(tmp_path / "whole.parquet")
    return folder


def table(*args):
    return pl.DataFrame(json.loads(run_votes(*args, "--format", "json").stdout))


def test_agreement_over_files_has_the_values_of_one_table(folder):
    found = table("agreement", folder / "*.parquet", "--engine", "local", "--replicates", "200")
    wanted = table("agreement", folder.parent / "whole.parquet", "--replicates", "200")
    assert found["statistic"].to_list() == ["mean vote", "krippendorff alpha"]
    assert found["value"].to_list() == pytest.approx(wanted["value"].to_list())
    assert found.row(0)[:5] == pytest.approx(wanted.row(0)[:5])
    assert found["low"].null_count() == wanted["low"].null_count() == 0
    assert "Poisson bootstrap by unit" in found["method"][1]
    assert "BCa" in wanted["method"][1]


def test_agreement_without_replicates_has_no_interval(folder):
    for source in (folder, folder.parent / "whole.parquet"):
        found = table("agreement", source, "--replicates", "0", *(["--engine", "local"] if source == folder else []))
        assert found["low"].null_count() == 2
        assert found["value"].null_count() == 0


def test_rows_that_are_no_votes_are_told_with_their_file(folder):
    for command in (["agreement"], ["reliability"], ["reliability", "--method", "dawid-skene"]):
        told = run_votes(*command, folder, "--engine", "local").stderr
        assert "3 files: 130 rows, 129 votes, 1 left out" in told
        assert f"row 3: vote is outside of 0 to 1, found '2.0' in {folder / '1.parquet'}" in told


@pytest.mark.parametrize("source", ["votes", "whole.parquet"])
def test_prompts_are_not_mixed(folder, source):
    asked = [vote_row(1, prompt="p", item="a"), vote_row(1, prompt="p", item="a", voter="y")]
    frame = pl.DataFrame([*asked, vote_row(1, prompt="q", item="b")])
    frame.write_parquet(folder.parent / "whole.parquet")
    for path in folder.iterdir():
        path.unlink()
    frame.write_parquet(folder / "0.parquet")
    for command in (["agreement"], ["reliability", "--method", "dawid-skene"]):
        with pytest.raises(PoolingError, match="found 2: 'p', 'q'"):
            run_votes(*command, folder.parent / source)
        run_votes(*command, folder.parent / source, "--prompt", "p")


@pytest.mark.parametrize("method", ["distance", "dawid-skene"])
def test_reliability_over_files_is_that_of_one_table(folder, method):
    found = table("reliability", folder, "--method", method, "--engine", "local")
    wanted = table("reliability", folder.parent / "whole.parquet", "--method", method)
    name = "distance" if method == "distance" else "competence"
    assert wanted["voter_id"][0] == "v3"
    assert found["voter_id"][0] == "v3"
    assert "bot" not in wanted["voter_id"].to_list()
    found, wanted = found.sort("voter_id"), wanted.sort("voter_id")
    assert found["voter_id"].to_list() == wanted["voter_id"].to_list()
    assert found[name].to_list() == pytest.approx(wanted[name].to_list(), abs=1e-6)


@pytest.mark.parametrize(("by", "key"), [("inference", "inference_id"), ("voter", "voter_id"), ("prompt", "units")])
def test_quality_is_shown_by_inference_voter_and_prompt(folder, by, key):
    found = table("quality", folder.parent / "whole.parquet", "--by", by)
    assert key in found.columns
    known = found["quality"].drop_nulls().to_list()
    assert known == sorted(known)
    if by == "voter":
        assert found["voter_id"][0] == "v3"


def test_all_signs_of_stuffing_are_in_one_table(tmp_path):
    rows = [vote_row(number % 2, day=number, voter="calm", item=f"c{number}") for number in range(9)]
    rows += [vote_row(1, day=3 + number / 86400, voter="storm", item="target") for number in range(20)]
    rows += [
        vote_row(number % 2, day=5 + number, voter=name, item=f"i{number}")
        for name in ("a", "b")
        for number in range(6)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "votes.parquet")
    found = table("suspicious", tmp_path / "votes.parquet")
    assert found["sign"].unique(maintain_order=True).to_list() == [
        "burst of a voter", "burst on an output", "ballots alike", "votes again",
    ]  # fmt: skip
    assert found.row(0, named=True)["voter_id"] == "storm"
    assert found.filter(pl.col("sign") == "ballots alike")["voter_id"].to_list() == ["a, b"]
    assert found.row(-1, named=True)["found"] == "voted again, the same"


def test_calm_votes_give_no_reason_to_look(tmp_path):
    rows = [vote_row(number % 2, day=number, voter=f"v{number % 3}", item=f"i{number}") for number in range(20)]
    pl.DataFrame(rows).write_parquet(tmp_path / "votes.parquet")
    assert "Reasons to look: 0" in run_votes("suspicious", tmp_path / "votes.parquet").stdout


@pytest.mark.parametrize(
    "command", ["quality", "suspicious", "histogram", "completeness", "confidence", "distribution"]
)
def test_what_is_not_offered_over_shards_says_so_and_names_what_is(folder, command):
    for source in (folder, folder / "*.parquet", "s3://bucket/votes.parquet"):
        with pytest.raises(UsageError, match="does not work over shards") as caught:
            run_votes(command, source)
        assert "score, agreement, reliability" in caught.value.hint


def test_a_folder_is_scored_as_its_files_are(folder):
    assert table("score", folder)["votes"].sum() == 129


LABELS = (
    "item,annotator,label\n"
    "q1,ann,cat\nq1,bob,cat\nq1,cy,dog\nq2,ann,dog\nq2,bob,dog\nq2,cy,dog\nq3,ann,bird\nq3,bob,cat\nq3,cy,bird\n"
)


@pytest.fixture
def labels(tmp_path):
    """Labels of three people, without a time."""
    (tmp_path / "labels.csv").write_text(LABELS)
    return tmp_path / "labels.csv"


def test_agreement_on_labels_is_nominal_and_has_no_mean(labels):
    found = table("agreement", labels, "--replicates", "0")
    wanted = krippendorff_alpha(
        [["cat", "cat", "dog"], ["dog", "dog", "dog"], ["bird", "cat", "bird"]], "nominal"
    ).value
    assert found["statistic"].to_list() == ["krippendorff alpha"]
    assert found["value"][0] == pytest.approx(wanted)
    assert "nominal" in found["method"][0]
    assert "labels of 3 classes: 'bird', 'cat', 'dog'" in run_votes("agreement", labels).stderr


def test_labels_have_no_distance_but_the_nominal_one(labels):
    with pytest.raises(UsageError, match="no interval distance"):
        run_votes("agreement", labels, "--metric", "interval")


def test_the_distance_between_voters_of_labels_is_the_share_of_others_who_say_otherwise(labels):
    found = {row["voter_id"]: row for row in table("reliability", labels).to_dicts()}
    assert found["cy"]["distance"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert found["ann"]["distance"] == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert found["bob"]["distance"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert found["cy"]["bias"] is None


def test_labels_are_the_classes_of_dawid_and_skene(labels):
    found = table("reliability", labels, "--method", "dawid-skene")
    assert found["voter_id"].to_list()[-1] == "ann"
    assert found["competence"].is_between(0, 1).all()


def test_the_quality_of_units_with_labels_is_one_where_all_agree_and_lower_where_they_do_not(labels):
    found = dict(table("quality", labels).select("inference_id", "quality").iter_rows())
    assert found["q2"] == 1.0
    assert max(found["q1"], found["q3"]) < 1


def test_more_classes_than_a_thousand_are_refused_as_what_they_are(tmp_path):
    rows = "".join(f"q{number // 2},v{number % 2},text {number}\n" for number in range(1002))
    (tmp_path / "texts.csv").write_text("item,voter,label\n" + rows)
    with pytest.raises(UsageError, match="at most 1,000 classes, found 1,002"):
        run_votes("quality", tmp_path / "texts.csv")


def test_ratings_are_classes_where_labels_are_asked_for_and_hinted_at_otherwise(tmp_path):
    (tmp_path / "ratings.csv").write_text("item,voter,rating\na,x,5\na,y,5\nb,x,1\nb,y,2\n")
    assert "add --labels" in run_votes("agreement", tmp_path / "ratings.csv").stderr
    found = table("agreement", tmp_path / "ratings.csv", "--labels", "--replicates", "0")
    assert found["value"][0] == pytest.approx(krippendorff_alpha([[5, 5], [1, 2]], "nominal").value)


def test_labels_over_files_have_the_values_of_one_table(labels, tmp_path):
    whole = pl.read_csv(labels)
    (tmp_path / "parts").mkdir()
    for number in range(2):
        whole.gather_every(2, number).write_parquet(tmp_path / "parts" / f"{number}.parquet")
    over = [tmp_path / "parts", "--engine", "local", "--labels"]
    for command in (["agreement", "--replicates", "0"], ["reliability"], ["reliability", "--method", "dawid-skene"]):
        found, wanted = table(*command, *over), table(*command, labels)
        assert found.drop("n", "method", strict=False).equals(wanted.drop("n", "method", strict=False))


@pytest.mark.parametrize(
    "command", ["agreement", "reliability", "quality", "completeness", "confidence", "distribution"]
)
def test_who_voted_what_needs_no_time(tmp_path, command):
    rows = "a,x,1\na,y,0\nb,x,1\nb,y,1\n"
    (tmp_path / "bare.csv").write_text("item,voter,vote\n" + rows)
    timed = "".join(f"{line},2025-01-01T00:00:00Z\n" for line in rows.splitlines())
    (tmp_path / "timed.csv").write_text("item,voter,vote,time\n" + timed)
    naive = timed.replace("Z", "")
    (tmp_path / "naive.csv").write_text("item,voter,vote,time\n" + naive)
    wanted = run_votes(command, tmp_path / "timed.csv")
    for name in ("bare.csv", "naive.csv"):
        found = run_votes(command, tmp_path / name)
        assert found.stdout == wanted.stdout
        assert found.stderr == ""


def test_without_times_the_later_row_of_a_voter_counts_and_the_other_is_told(tmp_path):
    (tmp_path / "twice.csv").write_text("item,voter,vote\na,x,0\na,y,1\na,x,1\nb,x,0\nb,y,0\n")
    result = run_votes("agreement", tmp_path / "twice.csv", "--replicates", "0", "--format", "json")
    assert "1 × duplicate vote" in result.stderr
    assert json.loads(result.stdout)[1]["value"] == 1.0


ALONE = "item,voter,vote,time\na,x,1,2025-01-01T00:00:00Z\nb,y,0,2025-01-01T00:00:00Z\n"


@pytest.mark.parametrize("command", ["score", "suspicious", "histogram", "quality", "agreement", "distribution"])
def test_a_table_none_of_whose_rows_is_a_vote_is_an_error_and_not_an_empty_answer(tmp_path, command):
    (tmp_path / "bad.csv").write_text("item,voter,vote,time\na,x,7,2025-01-01T00:00:00Z\na,y,8,2025-01-01T00:00:00Z\n")
    with pytest.raises(InputError, match="none of 2 rows is a vote, mostly because vote is outside of 0 to 1"):
        run_votes(command, tmp_path / "bad.csv")
    (tmp_path / "empty.csv").write_text("item,voter,vote,time\n")
    with pytest.raises(InputError, match="the table has no votes"):
        run_votes(command, tmp_path / "empty.csv")


def test_voters_whom_nobody_met_are_not_called_reliable(tmp_path):
    (tmp_path / "alone.csv").write_text(ALONE)
    pl.read_csv(tmp_path / "alone.csv").write_parquet(tmp_path / "alone.parquet")
    for source in (["alone.csv"], ["alone.parquet", "--engine", "local"]):
        with pytest.raises(UsageError, match="outputs that at least two people voted on, found none"):
            run_votes("reliability", "--method", "dawid-skene", tmp_path / source[0], *source[1:])
    assert "no voter can be compared" in run_votes("reliability", tmp_path / "alone.csv").stderr


def test_a_comparison_without_judges_says_so(tmp_path):
    (tmp_path / "alone.csv").write_text(ALONE)
    assert "no output has votes of people and of a judge" in run_votes("compare", tmp_path / "alone.csv").stderr
