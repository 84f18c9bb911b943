from lab.extraction.block_labels import label_blocks


def test_blocks_are_labelled_by_what_they_say() -> None:
    body = "老渡口在今年春天重新开放\n第一班船坐了四十多个人\n完"
    texts = ["首页", "老渡口在今年春天重新开放", "第一班船坐了四十多个人", "完", "相关阅读：镇上的老桥也修好了", "春天"]
    labelling = label_blocks(texts, body)
    assert labelling.body == [False, True, True, True, False, False]
    assert labelling.f1 == 1.0
    assert labelling.sizes[1] == 12


def test_what_is_told_twice_is_labelled_once() -> None:
    text = "老渡口在今年春天重新开放，第一班船坐了四十多个人"
    assert sum(label_blocks([text, text], text).body) == 1
