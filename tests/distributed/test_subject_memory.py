"""A text goes to a worker once, and comes to its judges whole."""

from experiment import make_judge, make_samples
from venire.distributed.cluster import pack, unpack
from venire.distributed.dispatcher import Batch, Item
from venire.distributed.subject_memory import SubjectMemory
from venire.protocols.catalogue import find_protocol
from venire.runner.task import plan_tasks


def batch_of(judge, samples):
    tasks = plan_tasks(make_judge(judge), find_protocol("drift-sample"), samples, 0.0)
    return Batch([Item(task, subject, {}) for task, subject in tasks])


def sent(driver, worker, batch):
    """Hand a batch over, and return what the worker makes of it and which texts were on the way."""
    arrived = unpack(pack(driver.leave_out_known(batch)))
    return worker.fill_in_known(arrived), [item.subject is not None for item in arrived.items]


def test_a_second_judge_is_sent_no_text_again_and_sees_it_all_the_same():
    driver, worker, samples = SubjectMemory(), SubjectMemory(), make_samples(3)
    first, second = batch_of("oak", samples[:2]), batch_of("elm", samples)
    arrived, texts = sent(driver, worker, first)
    assert (arrived.items, texts) == (first.items, [True, True])
    arrived, texts = sent(driver, worker, second)
    assert (arrived.items, texts) == (second.items, [False, False, True])


def test_what_is_forgotten_is_sent_again():
    samples = make_samples(3)
    most = sum(len(each.text) for each in samples) - 1
    driver, worker = SubjectMemory(most), SubjectMemory(most)
    for judge in ("oak", "elm"):
        whole = batch_of(judge, samples)
        arrived = [sent(driver, worker, Batch([item])) for item in whole.items]
        assert [each.items[0] for each, _ in arrived] == whole.items
        assert [texts for _, texts in arrived] == [[True], [True], [True]]


def test_a_worker_that_does_not_remember_says_so():
    driver, batch = SubjectMemory(), batch_of("oak", make_samples(2))
    driver.leave_out_known(batch)
    assert SubjectMemory().fill_in_known(driver.leave_out_known(batch)) is None
