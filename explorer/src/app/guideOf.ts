/** The part of the guide that explains each kind of page, by the first segment of the page's path. */
const parts: Readonly<Record<string, string>> = {
  attestations: 'api#filters',
  attestation: 'recipes#2-is-this-attestation-still-valid',
  schemas: 'api#records',
  schema: 'recipes#3-all-of-a-schema',
  address: 'api#attestations-of-an-address',
  agents: 'erc8004',
  agent: 'erc8004',
  gate: 'gate',
  verify: 'proofs#checking-a-proof',
  offchain: 'offchain',
  chains: 'watch#is-it-fresh',
  chain: 'watch#is-it-fresh',
  stats: 'api#groups',
  search: 'api#search',
  portal: 'verax',
}

/** Every address that `guideOf` returns. */
export const linkedGuide: readonly string[] = Object.values(parts)

/** The address of the documentation that explains a page of the explorer. */
export function guideOf(pathname: string): string {
  const part = parts[pathname.split('/')[1] ?? '']
  return part === undefined ? '/guide' : `/guide/${part}`
}
