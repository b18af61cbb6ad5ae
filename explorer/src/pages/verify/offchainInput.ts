/** The greatest size of an input, in characters, as the server has it. */
export const inputLengthMax = 1024 * 1024

const fragment = /^#(?:[^#]*&)?attestation=/

/**
 * The link in the address of the page, as easscan shares them, or the signed verdict in it (`#verdict=…`); empty if the
 * address has neither.
 */
export function linkInAddress({ hash, href }: Pick<Location, 'hash' | 'href'>): string {
  if (fragment.test(hash)) return href
  return /^#verdict=([\w.-]+)$/.exec(hash)?.[1] ?? ''
}

/** The signed verdict that a text is, or that a link of the gate page in it holds; null for any other text. */
export function readVerdict(text: string): string | null {
  return /^(?:https?:\/\/\S+#verdict=)?(eyJ[\w-]+\.[\w-]+\.[\w-]+)$/.exec(text.trim())?.[1] ?? null
}

/**
 * The uid or composite id that a text is, or that an easscan link to an attestation on or off chain holds; null for any
 * other text.
 */
export function readUid(text: string): string | null {
  const trimmed = text.trim()
  if (/^(?:onchain_evm_[0-9]+_)?0x[0-9a-f]+$/i.test(trimmed) && trimmed.length !== 42)
    return trimmed.toLowerCase()
  const link =
    /^https?:\/\/\S+?\/attestation\/(?:view\/)?((?:onchain_evm_[0-9]+_)?0x[0-9a-f]+)(?:[/?#]\S*)?$/i
  return link.exec(trimmed)?.[1]?.toLowerCase() ?? null
}

/** A proof of private data, and the attestation that holds their root. */
export interface PrivateInput {
  /** A composite id; empty if the text names no id. */
  readonly attestationId: string
  readonly proof: Readonly<Record<string, unknown>>
}

/** The proof in a text, as EAS's SDK writes it, with or without the id of its attestation; null for any other text. */
export function readPrivateInput(text: string): PrivateInput | null {
  if (!text.includes('"proofFlags"') || text.length > inputLengthMax) return null
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isObject(parsed)) return null
    if ('proofFlags' in parsed) return { attestationId: '', proof: parsed }
    const { attestationId, proof } = parsed
    if (typeof attestationId === 'string' && isObject(proof)) return { attestationId, proof }
  } catch {
    // No JSON, so no proof.
  }
  return null
}

/** Whether a text is a proof of an event, as a page of a record or the interface gives it, whatever is wrong with it. */
export function isRecordProof(text: string): boolean {
  return hasFormat(text, 'attestry-proof')
}

/** The same of a proof of what a contract's storage says. */
export function isStateProof(text: string): boolean {
  return hasFormat(text, 'attestry-state-proof')
}

function hasFormat(text: string, format: string): boolean {
  const found = parseObject(text, proofLengthMax)
  return found !== null && (found['format'] === format || objectOf(found['data'])?.['format'] === format)
}

/** The greatest size of a proof, in characters: a long payload takes some nodes for each of its words. */
export const proofLengthMax = 16 * 1024 * 1024

/**
 * Names a text that this page does not check, and says what does check it. Null for a text that may be an attestation.
 */
export function describeOther(text: string): string | null {
  const found = parseObject(text)
  if (found === null) return null
  const content = objectOf(found['data']) ?? found
  const { id, rows, verdict } = content
  if ('success' in found && found['success'] === false)
    return `This is an answer of an index that says why it has nothing: ${String(found['message']).slice(0, 300)}`
  if (typeof id === 'string' && id.startsWith('onchain_evm_'))
    return `This is a record as an index answers it, which shows nothing by itself. Its id finds it here: ${id.slice(0, 100)}. Its own page gives a proof of it, which can be checked.`
  if (verdict !== undefined || (Array.isArray(rows) && objectOf(rows[0])?.['verdict'] !== undefined))
    return 'This is a verdict of a gate without a signature, which shows nothing to others. Ask the gate again, or ask its server for a signed verdict.'
  if (Array.isArray(rows))
    return 'This is a list of an index, which shows nothing by itself. Paste the id of a record to look it up.'
  return null
}

function parseObject(text: string, lengthMax = inputLengthMax): Readonly<Record<string, unknown>> | null {
  if (!text.trimStart().startsWith('{') || text.length > lengthMax) return null
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return null
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return isObject(value) ? value : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
