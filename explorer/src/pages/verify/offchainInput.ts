/** The body of the question that a pasted text or a file leads to, or what is wrong with the text. */
export type OffchainInput =
  | { readonly kind: 'body'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'mistake'; readonly message: string }

/** The greatest size of an input, in characters, as the server has it. */
export const inputLengthMax = 1024 * 1024

const fragment = '#attestation='

/** Reads what someone pastes or drops: an envelope, a signed body, or a link of which the attestation is the fragment. */
export function readOffchainInput(text: string): OffchainInput {
  const trimmed = text.trim()
  if (trimmed === '') return mistake('Paste an attestation or a link, or choose a file.')
  if (trimmed.length > inputLengthMax)
    return mistake('This is longer than any attestation: more than a million characters.')
  if (!trimmed.startsWith('{') && trimmed.includes(fragment)) return { kind: 'body', body: { url: trimmed } }
  try {
    const parsed: unknown = JSON.parse(trimmed)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return { kind: 'body', body: parsed as Readonly<Record<string, unknown>> }
    }
  } catch {
    // Told below.
  }
  return mistake('This is neither a JSON object nor a link that holds an attestation (#attestation=…).')
}

/** The link in the address of the page, as easscan shares them; empty where there is none. */
export function linkInAddress({ hash, href }: Pick<Location, 'hash' | 'href'>): string {
  return hash.startsWith(fragment) ? href : ''
}

function mistake(message: string): OffchainInput {
  return { kind: 'mistake', message }
}
