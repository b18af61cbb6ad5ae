import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const readerDocs = listDocuments('docs')
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'client/README.md', 'explorer/README.md'],
  ...['SECURITY.md', 'CODE_OF_CONDUCT.md', 'bench/figures.md'],
  ...readerDocs,
  ...listDocuments('docs/adr'),
]

/** Names in documents that are not files of the repository. */
const notInRepository = [
  // Stand for any module.
  'x.test.ts',
  'xSearch.ts',
  // A build.
  'explorer/dist',
  // A file that the quickstart lets the reader write.
  'attest.ts',
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

/** The faults in a document's links to files of the repository. */
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

/** Names of code: paths from the root of the repository, and modules by the end of their path. */
const codeFolders = ['packages', 'test', 'demo', 'client', 'explorer', 'packaging', 'deploy', 'bench']
const codeName = new RegExp(`^(?:(?:${codeFolders.join('|')})/[\\w./-]+|[\\w./-]+\\.tsx?)$`)

test('every file and folder of code that a document names exists', () => {
  // Without git: the sources may have been downloaded as an archive.
  const made = ['node_modules', 'dist', 'package']
  const exclude = (path: string) => made.includes(basename(path))
  const known = globSync(['*', `{${codeFolders.join(',')}}/**`], { cwd: root, exclude }).map(
    (path) => `/${path}`,
  )
  const problems = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const names = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, name = '']) => name)
    return names
      .filter((name) => codeName.test(name) && !notInRepository.includes(name))
      .filter((name) => !known.some((path) => path.endsWith(`/${name.replace(/\/$/, '')}`)))
      .map((name) => `${document}: ${name}`)
  })
  expect(problems).toEqual([])
})
