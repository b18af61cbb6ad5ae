import type { AgentProfile } from './agentRegistration.ts'
import type { Address } from './hex.ts'
import { keccak256 } from './keccak.ts'

/**
 * Addresses of decentralised identifiers, by `ERC8004EXT-EAS.md` of erc-8004/erc-8004-contracts: an attestation of EAS
 * names a `did:web` by the last 20 bytes of the keccak256 of its canonical form.
 */

/** The address of a `did:web`; null for any other text. */
export function didAddress(did: string): Address | null {
  const [, host, path = ''] = /^did:web:([^:\s/?#]+)((?::[^:\s/?#]+)*)$/i.exec(did) ?? []
  if (host === undefined) return null
  const canonical = `did:web:${host.toLowerCase()}${path}`
  const digest = keccak256(new TextEncoder().encode(canonical))
  return `0x${Buffer.from(digest.subarray(12)).toString('hex')}` as Address
}

/** The `did:web` of an HTTPS URL; null for any other text. */
export function didOfUrl(text: string): string | null {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return null
  const { hostname, port, pathname } = new URL(text)
  const host = port === '' ? hostname : `${hostname}%3A${port}`
  const path = pathname.replaceAll(/^\/+|\/+$/g, '').replaceAll(/\/+/g, ':')
  return `did:web:${host}${path === '' ? '' : `:${path}`}`
}

/** The `did:web` identifiers by which an agent is known, each once. */
export function didsOfAgent({
  uri,
  profile,
}: {
  readonly uri: string
  readonly profile: AgentProfile
}): readonly { readonly did: string; readonly address: Address }[] {
  const texts = [uri, ...profile.endpoints.map(({ endpoint }) => endpoint)]
  const dids = texts.flatMap((text) => (/^did:web:/i.test(text) ? [text] : (didOfUrl(text) ?? [])))
  return [...new Set(dids)].flatMap((did) => {
    const address = didAddress(did)
    return address === null ? [] : [{ did, address }]
  })
}
