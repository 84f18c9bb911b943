import pytest

from crawler.reader.html.program_language import language_of
from crawler.reader.html.tree import parse

TOLD = {
    "HTML5's advice": ("<pre><code class='language-cpp'>a</code></pre>", "cpp"),
    "Prism": ("<pre class='line-numbers language-c'><code>a</code></pre>", "c"),
    "Prettify": ("<pre class='prettyprint linenums lang-java'>a</pre>", "java"),
    "SyntaxHighlighter": ("<pre class='brush: js; gutter: false'>a</pre>", "js"),
    "GitHub": ("<div class='highlight highlight-source-shell'><pre>a</pre></div>", "shell"),
    "highlight.js": ("<pre><code class='hljs yaml'>a</code></pre>", "yaml"),
    "highlight.js, the other way": ("<pre><code class='sql hljs'>a</code></pre>", "sql"),
    "highlight.js before it ran": ("<pre><code class=Java>a</code></pre>", "java"),
    "dp.SyntaxHighlighter before it ran": ("<pre name=code class=cpp>a</pre>", "cpp"),
    "Hexo": (
        "<figure class='highlight objectivec'><table><tr><td class=gutter><pre><span>1</span><br></pre></td>"
        "<td class=code><pre><span>a</span><br></pre></td></tr></table></figure>",
        "objectivec",
    ),
    "Hugo": ("<div class=highlight><pre class=chroma><code data-lang=go>a</code></pre></div>", "go"),
    "Jekyll": (
        "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code>a</code></pre>"
        "</div></div>",
        "ruby",
    ),
    "Sphinx": ("<div class='highlight-python3 notranslate'><div class=highlight><pre>a</pre></div></div>", "python3"),
    "Pandoc": ("<div class=sourceCode><pre class='sourceCode haskell'><code>a</code></pre></div>", "haskell"),
    "Astro": ("<pre class='astro-code github-dark' data-language=ts><code>a</code></pre>", "ts"),
    "Crayon": ("<pre class='lang:perl decode:true'>a</pre>", "perl"),
    "WordPress": ("<pre lang=php>a</pre>", "php"),
    "signs in its name": ("<pre><code class='language-c++'>a</code></pre>", "c++"),
    "plain text": ("<figure class='highlight plaintext'><pre>a</pre></figure>", ""),
    "none": ("<pre class='line-numbers language-none'><code class='language-none'>a</code></pre>", ""),
    "nothing": ("<pre>a</pre>", ""),
    "a theme's boxes": ("<div class='highlight-wrapper highlight'><pre class=wrap>a</pre></div>", ""),
    "the language of readers": ("<div lang=fr class=post><pre lang=en>a</pre></div>", ""),
    "a page's class, far away": ("<main class='language-js'><pre>a</pre></main>", ""),
    "a colour": ("<div class='bg-tertiary'><pre>a</pre></div>", ""),
}


@pytest.mark.parametrize(("markup", "language"), TOLD.values(), ids=TOLD)
def test_language_as_its_highlighter_names_it(markup: str, language: str) -> None:
    program = [each for each in parse(markup).iter("pre") if next(each.iterdescendants("pre"), None) is None][-1]
    assert language_of(program) == language
