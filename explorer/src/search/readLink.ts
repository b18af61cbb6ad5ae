import { chainIds } from '../format/protocolPage.ts'

/** The page here that corresponds to a link from another explorer. */
export type LinkGoal =
  | {
      readonly page: '/attestation/$id' | '/schema/$id'
      /** The composite id. */
      readonly id: string
      /** Undefined if the link does not name it. */
      readonly protocol: string | undefined
      readonly keyword: string
    }
  | { readonly page: '/address/$address'; readonly keyword: string }
  /** A record whose chain the link does not tell: the id on its own chain is looked for. */
  | { readonly page: '/search'; readonly keyword: string }

const pages: ReadonlyMap<string, Exclude<LinkGoal['page'], '/search'>> = new Map([
  ['attestation', '/attestation/$id'],
  ['attestations', '/attestation/$id'],
  ['schema', '/schema/$id'],
  ['schemas', '/schema/$id'],
  ['address', '/address/$address'],
])

/**
 * Reads a link to an attestation, a schema or an address on easscan, SignScan, Verax's explorer or an Attestry, which
 * may stand at any host. Null for every other text.
 */
export function readLink(text: string): LinkGoal | null {
  const link = text.trim()
  if (!/^https?:\/\//i.test(link) || !URL.canParse(link)) return null
  const url = new URL(link)
  const words = url.pathname.split('/').filter((word) => word !== '' && word !== 'view')
  const at = words.findIndex((word) => pages.has(word))
  const page = pages.get(words[at] ?? '')
  const subject = words[at + 1]?.toLowerCase() ?? ''
  if (page === undefined) return null
  if (page === '/address/$address') {
    return /^0x[0-9a-f]{40}$/.test(subject) ? { page, keyword: subject } : null
  }
  const origin = originOf(url, words[0] ?? '')
  if (/^onchain_evm_\d+_0x[0-9a-f]+$/.test(subject)) {
    return { page, id: subject, protocol: origin.protocol, keyword: subject }
  }
  if (!/^0x[0-9a-f]+$/.test(subject)) return null
  if (origin.chainId === undefined) return { page: '/search', keyword: subject }
  const id = `onchain_evm_${origin.chainId}_${subject}`
  return { page, id, protocol: origin.protocol, keyword: id }
}

/** The keyword to search for: the record that a link names, or the text itself. */
export function keywordOf(text: string): string {
  return readLink(text)?.keyword ?? text.trim()
}

interface Origin {
  readonly chainId?: number | undefined
  readonly protocol: string | undefined
}

function originOf({ hostname, searchParams }: URL, firstWord: string): Origin {
  const eas = /^(?:www\.)?(?:([a-z-]+)\.)?easscan\.org$/.exec(hostname)
  if (eas !== null) return { chainId: chainIds.get(eas[1] ?? 'mainnet'), protocol: 'eas' }
  if (hostname === 'explorer.ver.ax') return { chainId: chainIds.get(firstWord), protocol: 'verax' }
  if (hostname.endsWith('sign.global')) return { protocol: 'sign' }
  return { protocol: searchParams.get('protocol') ?? undefined }
}
