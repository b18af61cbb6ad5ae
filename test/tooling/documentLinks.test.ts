import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const readerDocs = listDocuments('docs')
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'client/README.md', 'explorer/README.md'],
  ...['SECURITY.md', 'CODE_OF_CONDUCT.md'],
  ...readerDocs,
  ...listDocuments('docs/adr'),
]

function listDocuments(folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
}

/** The text without its code, in which brackets are no links. */
function readProse(document: string): string {
  const text = readFileSync(join(root, document), 'utf8')
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '`')
}

/** The anchors of a document, made of its headings as GitHub makes them. */
function listAnchors(document: string): ReadonlySet<string> {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```[^]*?^```$/gm, '')
  return new Set(Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => anchorOf(heading)))
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** What is wrong with the links of a document to files of the repository. */
function problemsOf(document: string): readonly string[] {
  const links = Array.from(readProse(document).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link)
  return links.flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? document : relative(root, join(root, dirname(document), path))
    if (!existsSync(join(root, file))) return [`${document}: ${link}: there is no such file`]
    const isKnown = anchor === undefined || !file.endsWith('.md') || listAnchors(file).has(anchor)
    return isKnown ? [] : [`${document}: ${link}: there is no such heading`]
  })
}

test('every link between documents leads to a file and a heading that exist', () => {
  expect(documents.flatMap(problemsOf)).toEqual([])
})

test('every page for readers is linked from README or from another page', () => {
  const linked = documents.flatMap((document) =>
    Array.from(readProse(document).matchAll(/\]\(([^)#\s]+)/g), ([, link = '']) =>
      relative(root, join(root, dirname(document), link)),
    ),
  )
  expect(readerDocs.filter((document) => !linked.includes(document))).toEqual([])
})
