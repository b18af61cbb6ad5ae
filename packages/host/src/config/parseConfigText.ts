import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml'
import type { KeyPath } from './describeValue.ts'

/** A parsed configuration file: its values and their lines. */
export interface ConfigText {
  readonly value: unknown
  /** The line, from 1, of the value at a path, or of the nearest parent. */
  lineOf(path: KeyPath): number
}

/** A file that is not valid YAML, or uses a feature of YAML that a configuration may not use. */
export interface ConfigTextMistake {
  readonly line: number
  /** The mistake as a clause that follows "line 3". */
  readonly text: string
}

export function parseConfigText(text: string): ConfigText | ConfigTextMistake {
  const lines = new LineCounter()
  // Pretty errors quote the line of the mistake, which may hold an API key.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const [error] = document.errors
  if (error !== undefined) {
    const line = lineAt(error.pos[0])
    return { line, text: explain(error.code, error.message, text, error.pos[0], lineText(text, line)) }
  }
  const aliasOffset = findAlias(document)
  if (aliasOffset !== null) {
    return { line: lineAt(aliasOffset), text: 'holds an alias (*name); write the value out' }
  }
  keepLongHexAsText(document)
  return {
    value: document.toJS(),
    lineOf: (path) => {
      for (let length = path.length; length > 0; length--) {
        const start = startOf(document, path.slice(0, length))
        if (start !== null) return lineAt(start)
      }
      return 1
    },
  }
}

/** Keeps an address without quotes as text: YAML reads a hexadecimal number and rounds it. */
function keepLongHexAsText(document: Document): void {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && /^0x[0-9a-f]{14,}$/i.test(node.source ?? ''))
        node.value = node.source
    },
  })
}

function findAlias(document: Document): number | null {
  let offset: number | null = null
  visit(document, {
    Alias: (_, node) => {
      offset = node.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

/** The offset of the key or list item at a path; null if the path does not exist. */
function startOf(document: Document, path: KeyPath): number | null {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const last = path.at(-1)
  const node = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && key.value === last)?.key
    : document.getIn(path, true)
  return isNode(node) ? (node.range?.[0] ?? null) : null
}

function explain(code: string, message: string, text: string, offset: number, line: string): string {
  if (code === 'DUPLICATE_KEY') {
    const key = /^[A-Za-z0-9_-]+/.exec(text.slice(offset))?.[0]
    return key === undefined ? 'repeats a key; keep one' : `repeats the key ${key}; keep one of them`
  }
  if (code === 'TAB_AS_INDENT') return 'is indented with a tab; YAML wants spaces'
  if (/[[{,]\s*\$\{/.test(line)) return 'is no valid YAML: inside [ ] and { }, a ${NAME} must stand in quotes'
  // Some messages end with an excerpt of the file, which may hold a secret.
  return `is no valid YAML: ${message.replace(/: ".*$/s, '').replace(/;.*$/s, '')}`
}

function lineText(text: string, line: number): string {
  return text.split('\n')[line - 1] ?? ''
}
