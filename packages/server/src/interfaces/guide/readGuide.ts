import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../explorer/pageTemplate.ts'
import { guideFiles } from './guidePages.ts'

/** A page of the guide. */
export interface GuidePage {
  readonly name: string
  readonly title: string
  /** The Markdown, as it stands in the repository. */
  readonly source: string
  /** In the order of the page. The first one begins with the title. */
  readonly sections: readonly GuideSection[]
  /** @param root the path from the shown page to the root of the server, such as `./`. */
  html(root: string): string
}

/** A heading with the text up to the next one. */
export interface GuideSection {
  readonly title: string
  /** 1 for the title of the page. */
  readonly depth: number
  /** The fragment of its address; the same as on GitHub. */
  readonly anchor: string
  /** Without Markdown. */
  readonly text: string
}

const repository = 'https://github.com/attestry/attestry/blob/main'

/** Reads all pages. @throws Error if a file is missing. */
export function readGuide(): ReadonlyMap<string, GuidePage> {
  return new Map(Object.keys(guideFiles).map((name) => [name, readPage(name)]))
}

function readPage(name: string): GuidePage {
  const path = guideFiles[name] ?? ''
  const source = readFileSync(fileOf(name, path), 'utf8')
  const tokens = new Marked().lexer(source)
  const sections = sectionsOf(tokens)
  return {
    name,
    title: sections[0]?.title ?? name,
    source,
    sections,
    html: (root) => render(source, sections, posix.dirname(path), root),
  }
}

/** In an installed package, the files stand beside this module. */
function fileOf(name: string, path: string): string {
  const packaged = fileURLToPath(new URL(`./pages/${name}.md`, import.meta.url))
  return existsSync(packaged) ? packaged : fileURLToPath(new URL(`../../../../../${path}`, import.meta.url))
}

function sectionsOf(tokens: readonly Token[]): readonly GuideSection[] {
  const known = new Map<string, number>()
  const sections: { title: string; depth: number; anchor: string; text: string }[] = []
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { text, depth } = token as Tokens.Heading
      sections.push({ title: plainText(text), depth, anchor: anchorOf(text, known), text: '' })
    } else {
      const last = sections.at(-1)
      if (last !== undefined) last.text += ` ${plainText(token.raw)}`
    }
  }
  return sections
}

/** The anchor of a heading as GitHub makes it: a repeated one gets a number. */
function anchorOf(heading: string, known: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
  const count = known.get(anchor) ?? 0
  known.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

/** The words of Markdown: the targets of links, fences, and the lines of tables are left out. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/^ *```\w*$/gm, ' ')
    .replaceAll(/^\|[-:| ]+\|$/gm, ' ')
    .replaceAll(/\]\([^)\s]*\)/g, '')
    .replaceAll(/\*\*|[`|[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,;:!?)])/g, '')
    .trim()
}

function render(source: string, sections: readonly GuideSection[], folder: string, root: string): string {
  const rest = sections.values()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const anchor = rest.next().value?.anchor ?? ''
        const shown = this.parser.parseInline(tokens)
        // The title of the page needs no link to itself.
        if (depth === 1) return `<h1 id="${anchor}">${shown}</h1>\n`
        return `<h${depth} id="${anchor}">${shown} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(targetOf(href, folder, root))}">${this.parser.parseInline(tokens)}</a>`
      },
      code({ text }) {
        // A keyboard reaches what scrolls.
        return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`
      },
      table({ header, rows }) {
        const cells = (row: readonly Tokens.TableCell[], tag: 'td' | 'th') =>
          row
            .map(({ tokens, align }) => {
              const side = align === 'right' ? ' class="number"' : ''
              return `<${tag}${side}>${this.parser.parseInline(tokens)}</${tag}>`
            })
            .join('')
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        const head = header.every(({ text }) => text === '')
          ? ''
          : `<thead><tr>${cells(header, 'th')}</tr></thead>`
        return `<div class="wide" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  return marked.parse(source, { async: false })
}

/** The address of a link: another page of the guide, or a file of the repository on GitHub. */
function targetOf(href: string, folder: string, root: string): string {
  if (/^(?:#|[a-z]+:)/.test(href)) return href
  const [path = '', fragment] = href.split('#')
  const file = posix.join(folder, path)
  const page = Object.keys(guideFiles).find((name) => guideFiles[name] === file)
  const target = page === undefined ? `${repository}/${file}` : `${root}guide/${page}`
  return fragment === undefined ? target : `${target}#${fragment}`
}
