/** The greatest size of an input, in characters, as the server has it. */
export const inputLengthMax = 1024 * 1024

const fragment = /^#(?:[^#]*&)?attestation=/

/** The link in the address of the page, as easscan shares them; empty where there is none. */
export function linkInAddress({ hash, href }: Pick<Location, 'hash' | 'href'>): string {
  return fragment.test(hash) ? href : ''
}

/**
 * The uid or composite id in a text: alone, or in a link of easscan's to an attestation on chain or off; null for any
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
  /** A composite id; empty where the text names none. */
  readonly attestationId: string
  readonly proof: Readonly<Record<string, unknown>>
}

/** The proof in a text, alone (as EAS's SDK makes it) or beside the id of its attestation; null for any other text. */
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
