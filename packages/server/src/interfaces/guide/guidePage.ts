import { escapeHtml } from '../explorer/pageTemplate.ts'
import { guideGroups } from './guidePages.ts'
import type { GuidePage } from './readGuide.ts'
import type { GuideHit } from './searchGuide.ts'

/** The surroundings of a page. */
export interface GuideFrame {
  readonly pages: ReadonlyMap<string, GuidePage>
  /** The path from the page to the root of the server: addresses are relative, for proxies that add a path. */
  readonly root: string
  readonly hasExplorer: boolean
}

/** Number of results on the page of a search. */
const hitsShown = 30

/** The page of a document. */
export function documentPage(frame: GuideFrame, page: GuidePage): string {
  const inner = page.sections.filter(({ depth }) => depth === 2)
  const contents =
    inner.length < 2
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${inner
          .map(({ anchor, title }) => `<li><a href="#${anchor}">${escapeHtml(title)}</a></li>`)
          .join('')}</ul></nav>`
  return framed(frame, page.title, page.name, '', `<article>${page.html(frame.root)}</article>${contents}`)
}

/** The list of all pages. */
export function listPage(frame: GuideFrame): string {
  const groups = Object.entries(guideGroups).map(
    ([title, names]) =>
      `<h2>${title}</h2><ul>${Object.keys(names)
        .map((name) => `<li>${linkTo(frame, name)}</li>`)
        .join('')}</ul>`,
  )
  const lead =
    '<p>How to use and operate Attestry. This is the documentation of the running version; it needs no network.</p>'
  return framed(
    frame,
    'Guide',
    null,
    '',
    `<article class="list"><h1>Guide</h1>${lead}${groups.join('')}</article>`,
  )
}

/** The results of a search. */
export function searchPage(
  frame: GuideFrame,
  query: string,
  words: readonly string[],
  hits: readonly GuideHit[],
): string {
  const results = hits.slice(0, hitsShown).map(({ page, section, excerpt }) => {
    const target = `${frame.root}guide/${page.name}${section.depth === 1 ? '' : `#${section.anchor}`}`
    const place = section.depth === 1 ? '' : `<span class="place">${escapeHtml(page.title)}</span> `
    return `<li>${place}<a href="${target}">${marked(section.title, words)}</a><p>${marked(excerpt, words)}</p></li>`
  })
  const shown = `“${escapeHtml(query)}”`
  const count =
    hits.length === 0
      ? `Nothing in the guide has all of ${shown}. Try fewer or shorter words.`
      : `${hits.length === 1 ? '1 section has' : `${hits.length} sections have`} ${shown}${hits.length > hitsShown ? `; the first ${hitsShown}:` : ':'}`
  const body = `<h1>Search the guide</h1><p role="status">${count}</p><ol class="hits">${results.join('')}</ol>`
  return framed(frame, `Search: ${query}`, null, query, `<article>${body}</article>`)
}

/** The page for a name that the guide does not have. */
export function absentPage(frame: GuideFrame): string {
  const body = `<h1>No such page</h1><p>The guide has no page at this address. <a href="${frame.root}guide">All pages</a> are listed, and the search finds sections by their words.</p>`
  return framed(frame, 'No such page', null, '', `<article>${body}</article>`)
}

function linkTo({ pages, root }: GuideFrame, name: string, isCurrent = false): string {
  const current = isCurrent ? ' aria-current="page"' : ''
  return `<a href="${root}guide/${name}"${current}>${escapeHtml(pages.get(name)?.title ?? name)}</a>`
}

/** Escapes a text, and marks the words in it. */
function marked(text: string, words: readonly string[]): string {
  const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
  if (pattern === '') return escapeHtml(text)
  return text
    .split(new RegExp(`(${pattern})`, 'gi'))
    .map((part, index) => (index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('')
}

function framed(frame: GuideFrame, title: string, name: string | null, query: string, main: string): string {
  const { root, hasExplorer } = frame
  const home = hasExplorer
    ? `<a class="home" href="${root}">Attestry</a>`
    : '<span class="home">Attestry</span>'
  const groups = Object.entries(guideGroups).map(
    ([group, names]) =>
      `<h2>${group}</h2><ul>${Object.keys(names)
        .map((each) => `<li>${linkTo(frame, each, each === name)}</li>`)
        .join('')}</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Attestry</title>
<link rel="icon" href="${root}docs/favicon-32x32.png">
<link rel="stylesheet" href="${root}guide/guide.css">
<script src="${root}docs/theme.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
${home}
<nav aria-label="Documentation"><a href="${root}guide">Guide</a> <a href="${root}docs">REST</a> <a href="${root}graphql">GraphQL</a> <a href="${root}llms.txt">For agents</a></nav>
<form role="search" action="${root}guide"><input type="search" name="q" value="${escapeHtml(query)}" placeholder="Search the guide" aria-label="Search the guide" maxlength="200"><button>Search</button></form>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">${groups.join('')}</nav>
<main id="content" tabindex="-1">${main}</main>
</div>
</body>
</html>
`
}

/** The style of the pages, in the colours of the explorer. */
export const guideStyle = `:root {
  color-scheme: light dark;
  --canvas: light-dark(#f8f8fa, #0e0f13);
  --surface: light-dark(#ffffff, #15171c);
  --line: light-dark(#e5e6ec, #262932);
  --ink: light-dark(#14161f, #eceef4);
  --muted: light-dark(#565b6b, #a2a8b8);
  --accent: light-dark(#4353c9, #9aa7ff);
  --soft: light-dark(#eceefc, #22284a);
}
.light-mode { color-scheme: light; }
.dark-mode { color-scheme: dark; }
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0;
  background: var(--canvas);
  color: var(--ink);
  font: 0.9375rem/1.6 Inter, -apple-system, "Segoe UI", Roboto, Ubuntu, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent); text-decoration: none; }
a:hover, article p a, article li a, article td a { text-decoration: underline; text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 0.5rem; padding: 0.5rem 0.75rem; background: var(--surface); }
header {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem 1.5rem;
  padding: 0.75rem 1.25rem;
  border-bottom: 1px solid var(--line);
  background: var(--surface);
}
header nav { display: flex; gap: 1.25rem; }
.home { font-weight: 650; color: var(--ink); }
form { display: flex; gap: 0.5rem; margin-left: auto; }
input, button {
  height: 2.25rem;
  padding: 0 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--canvas);
  color: inherit;
  font: inherit;
}
input { width: 15rem; max-width: 100%; min-width: 0; }
input::placeholder { color: var(--muted); opacity: 1; }
.columns {
  display: grid;
  grid-template-columns: 15rem minmax(0, 1fr);
  max-width: 84rem;
  margin: 0 auto;
}
.pages { padding: 1.5rem 1.25rem; font-size: 0.875rem; }
.pages h2, .contents h2 { margin: 1.25rem 0 0.25rem; font-size: 0.75rem; font-weight: 600; color: var(--muted); }
.pages ul, .contents ul, .list ul { list-style: none; margin: 0; padding: 0; }
.pages a, .contents a { display: block; padding: 0.25rem 0.5rem; border-radius: 0.375rem; color: var(--ink); }
.pages a[aria-current] { background: var(--soft); color: var(--accent); font-weight: 550; }
main { display: grid; grid-template-columns: minmax(0, 48rem) 13rem; gap: 2.5rem; padding: 1.5rem 1.25rem 4rem; }
main:focus { outline: none; }
.contents { font-size: 0.8125rem; position: sticky; top: 1rem; align-self: start; max-height: 95vh; overflow: auto; }
h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.25; letter-spacing: -0.018em; }
article h2 { margin: 2.5rem 0 0.75rem; font-size: 1.25rem; line-height: 1.25; }
article h3 { margin: 2rem 0 0.5rem; font-size: 1rem; }
article .anchor { text-decoration: none; opacity: 0; }
:is(h2, h3, h4):hover .anchor, .anchor:focus { opacity: 1; }
.list li a { display: inline-block; padding: 0.125rem 0; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.8125rem; }
:not(pre) > code { padding: 0.1em 0.3em; border-radius: 0.25rem; background: var(--soft); overflow-wrap: anywhere; }
pre {
  overflow: auto;
  padding: 0.875rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--surface);
}
.wide { overflow: auto; }
table { border-collapse: collapse; font-size: 0.875rem; }
th, td { padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
mark { background: light-dark(#fff2bf, #4a3f12); color: inherit; }
.hits { padding-left: 0; list-style: none; }
.hits li { margin-bottom: 1.25rem; overflow-wrap: anywhere; }
.hits p { margin: 0.125rem 0 0; color: var(--muted); }
.place { color: var(--muted); }
.place::after { content: " ›"; }
@media (max-width: 72rem) {
  main { grid-template-columns: minmax(0, 1fr); }
  .contents { display: none; }
}
@media (max-width: 48rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .pages { order: 2; border-top: 1px solid var(--line); }
  .pages a { padding: 0.3rem 0.5rem; }
  form { margin-left: 0; width: 100%; }
  input { width: 100%; }
}
@media print {
  header, .pages, .contents, .anchor { display: none; }
  .columns, main { display: block; }
}
`
