import { nestsDeeper, replaceInJson } from '@attestry/core/model/nesting.ts'

/** The deepest content that is kept. */
const depthMax = 64

export type ReadContent =
  | { readonly kind: 'json'; readonly json: string }
  /** `reason` is a part of a sentence. */
  | { readonly kind: 'none'; readonly reason: string }

/** Reads bytes that should be JSON, whatever their sender says that they are. */
export function readJson(bytes: Uint8Array): ReadContent {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { kind: 'none', reason: 'it is no UTF-8 text' }
  }
  if (nestsDeeper(text, depthMax)) return { kind: 'none', reason: `it nests more than ${depthMax} levels` }
  try {
    JSON.parse(text)
    // Numbers keep all their digits: a number of this program has 15.
    return { kind: 'json', json: withoutSpace(text) }
  } catch {
    const start = text.trimStart().slice(0, 1)
    return { kind: 'none', reason: start === '<' ? 'it is a page of HTML or XML, no JSON' : 'it is no JSON' }
  }
}

function withoutSpace(json: string): string {
  return replaceInJson(
    json,
    (quoted) => quoted,
    (text) => text.replaceAll(/\s+/g, ''),
  )
}
