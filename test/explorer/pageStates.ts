import type { Page } from 'playwright-core'
import { documentedLink } from '@attestry/trust/statements/testing/publishedSamples.ts'
import { easAttestationId, easChainId, easSchemaId, easTransaction } from './fixture/easBlocks.ts'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { lookAlike, oddAttestationId, oddAttester, oddSchemaId } from './fixture/oddBlocks.ts'
import { sharedSchemaId, veraxAttestationId, veraxPortal, veraxSchemaId } from './fixture/veraxBlocks.ts'

/** A page, one of its states, and the text that it must show in this state. */
export interface PageState {
  readonly name: string
  readonly path: string
  /** Text that the page must show; its heading when nothing else is specific. */
  readonly shows?: RegExp
  /** HTTP statuses that are expected in this state. */
  readonly expectedStatuses?: readonly number[]
  /** Whether requests fail. */
  readonly offline?: boolean
  /** Prepares the state before the page is opened. */
  readonly arrange?: (page: Page) => Promise<void>
  /** Whether the page keeps loading in this state. */
  readonly isLoading?: boolean
}

const demoSchema = `onchain_evm_${demoChainId}_0x1`
const demoAttestation = `onchain_evm_${demoChainId}_0x64`
const demoAccount = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
/** Holds an attestation of level 2 under the demo's first schema. */
const member = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const stranger = `0x${'9'.repeat(40)}`

/** Every answer of the API, without the files of the app. */
const interfaceUrls = /\/(?:scan|graphql|events|readyz)(?:[/?]|$)/

const refuse = async (page: Page) => {
  await page.route(interfaceUrls, (route) => route.abort('connectionrefused'))
}
const fail = async (page: Page) => {
  await page.route(interfaceUrls, (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: '{"success":false,"statusCode":503,"data":{},"message":"The index cannot be read at the moment."}',
    }),
  )
}
const withhold = async (page: Page) => {
  // Never answered; closing the context ends the request.
  await page.route(interfaceUrls, () => undefined)
}

export const pageStates: readonly PageState[] = [
  { name: 'home', path: '/' },
  { name: 'schemas', path: '/schemas', shows: /Plain record/ },
  { name: 'schemas of one chain', path: `/schemas?chainId=${demoChainId}` },
  {
    name: 'schemas, none found',
    path: '/schemas?keyword=nothing-is-called-this',
    shows: /no schema/i,
  },
  { name: 'attestations', path: '/attestations' },
  { name: 'attestations, a later page', path: '/attestations?page=50' },
  {
    name: 'attestations, none found',
    path: '/attestations?chainId=999',
    shows: /no attestation/i,
  },
  { name: 'schema', path: `/schema/${demoSchema}`, shows: /KYC Level 2.*2 schemas have this name/s },
  { name: 'schema of EAS', path: `/schema/${easSchemaId}`, shows: /Code Review/ },
  { name: 'schemas of EAS', path: '/schemas?protocol=eas', shows: /Code Review/ },
  { name: 'attestations of EAS', path: `/attestations?chainId=${easChainId}&page=2&size=100` },
  { name: 'attestation of EAS', path: `/attestation/${easAttestationId(0)}`, shows: /Referred to by 2/ },
  { name: 'schema of Verax', path: `/schema/${veraxSchemaId}`, shows: /https:\/\/schema\.org\/Person/ },
  {
    name: 'schema of Verax whose id is one of EAS too',
    path: `/schema/${sharedSchemaId}?protocol=verax`,
    shows: /Like of another protocol/,
  },
  {
    name: 'attestation of Verax, replaced',
    path: `/attestation/${veraxAttestationId(1)}`,
    shows: /It was replaced by/,
  },
  {
    name: 'attestation of Verax that replaces',
    path: `/attestation/${veraxAttestationId(2)}`,
    shows: /Human Portal/,
  },
  { name: 'schema that says nothing', path: `/schema/${oddSchemaId('nameless')}` },
  { name: 'schema with long description', path: `/schema/${oddSchemaId('longDescription')}` },
  { name: 'schema with long name', path: `/schema/${oddSchemaId('longName')}` },
  { name: 'schema with nested fields', path: `/schema/${oddSchemaId('nested')}` },
  {
    name: 'schema filtered by a field',
    path: `/schema/${demoSchema}?by=field[country]&field[level]=2&field[checkedAt][gte]=1700000000`,
    shows: /most frequent of/,
  },
  {
    name: 'schema filtered by hostile text',
    path: `/schema/${oddSchemaId('html')}?by=field[text]&field[text][contains]=${encodeURIComponent(
      '<img src=x onerror="document.title=\'pwned\'">\u202Egnp.exe\u202C',
    )}`,
  },
  {
    name: 'schema with hostile names of fields',
    path: `/schema/${oddSchemaId('fieldNames')}`,
  },
  {
    name: 'schema with hostile names of fields, filtered by a member',
    path: `/schema/${oddSchemaId('fieldNames')}?by=${encodeURIComponent('field[person.a\\.b]')}&${encodeURIComponent('field[]')}=x`,
    shows: /values by their number|most frequent/i,
  },
  {
    name: 'schema filtered, none found',
    path: `/schema/${demoSchema}?field[country]=nowhere`,
    shows: /no attestation passes/i,
  },
  {
    name: 'schema filtered by a field that it does not have',
    path: `/schema/${demoSchema}?field[none]=1`,
    shows: /is no field of the schema/,
    expectedStatuses: [400],
  },
  { name: 'stats', path: '/stats', shows: /Top schemas/ },
  { name: 'stats of a schema', path: `/stats?schemaId=${demoSchema}`, shows: /Values of level/ },
  { name: 'chains', path: '/chains', shows: /Completeness/ },
  { name: 'chain', path: `/chain/59144`, shows: /Newest attestations.*Humans of Zug/s },
  { name: 'portal', path: `/portal/${veraxPortal}`, shows: /Human Portal.*Linea/s },
  {
    name: 'transaction',
    path: `/transaction/${easTransaction(0)}?chainId=${easChainId}`,
    shows: /Attestations made/,
  },
  {
    name: 'transaction that is not indexed',
    path: `/transaction/0x${'9'.repeat(64)}`,
    shows: /not in the index/,
    expectedStatuses: [404],
  },
  {
    name: 'transaction of a malformed hash',
    path: `/transaction/${encodeURIComponent('<img src=x onerror=alert(1)>\u202E')}`,
    shows: /This is no hash of a transaction/,
    expectedStatuses: [400],
  },
  {
    name: 'schema that is not indexed',
    path: `/schema/onchain_evm_${demoChainId}_0xffff`,
    shows: /not in the index/,
    expectedStatuses: [404],
  },
  {
    name: 'schema of a malformed id',
    path: '/schema/nonsense',
    shows: /Search for it on every chain/,
    expectedStatuses: [400],
  },
  {
    name: 'attestation of an unknown protocol',
    path: `/attestation/${demoAttestation}?protocol=nonsense`,
    shows: /This cannot be answered.*protocol/s,
    expectedStatuses: [400],
  },
  {
    name: 'schema of an unknown protocol',
    path: `/schema/${demoSchema}?protocol=nonsense`,
    shows: /This cannot be answered.*protocol/s,
    expectedStatuses: [400],
  },
  {
    name: 'attestation of a malformed id',
    path: `/attestation/${encodeURIComponent('<img src=x onerror=alert(1)>\u202E')}`,
    shows: /Search for it on every chain/,
    expectedStatuses: [400],
  },
  { name: 'attestation', path: `/attestation/${demoAttestation}` },
  { name: 'attestation, valid', path: `/attestation/${oddAttestationId('valid')}`, shows: /valid/i },
  {
    name: 'attestation, revoked',
    path: `/attestation/${oddAttestationId('revoked')}`,
    shows: /Document expired/,
  },
  { name: 'attestation, expired', path: `/attestation/${oddAttestationId('expired')}`, shows: /expired/i },
  {
    name: 'attestation, expiring',
    path: `/attestation/${oddAttestationId('expiring')}`,
    shows: /expires in/i,
  },
  { name: 'attestation, valid for ever', path: `/attestation/${oddAttestationId('forever')}` },
  {
    name: 'attestation that cannot be decoded',
    path: `/attestation/${oddAttestationId('undecodable')}`,
    shows: /deadbeef/,
  },
  { name: 'attestation without payload', path: `/attestation/${oddAttestationId('empty')}` },
  { name: 'attestation with nested payload', path: `/attestation/${oddAttestationId('nested')}` },
  { name: 'attestation with long text', path: `/attestation/${oddAttestationId('longText')}` },
  { name: 'attestation with a long word', path: `/attestation/${oddAttestationId('longWord')}` },
  { name: 'attestation with many recipients', path: `/attestation/${oddAttestationId('recipients')}` },
  { name: 'attestation, linked', path: `/attestation/${oddAttestationId('linked')}` },
  {
    name: 'attestation that is not indexed',
    path: `/attestation/onchain_evm_${demoChainId}_0xfffff`,
    shows: /not in the index/,
    expectedStatuses: [404],
  },
  { name: 'agents', path: '/agents?service=MCP&order=updated', shows: /Ada/ },
  { name: 'agents, none found', path: '/agents?keyword=nothing-is-called-this', shows: /no agent/i },
  { name: 'agent', path: '/agent/5:0', shows: /Adds numbers.*https:\/\/mcp\.ada\.example.*quality/s },
  { name: 'agent, responses', path: '/agent/5:0?tab=responses', shows: /ipfs:\/\/thanks/ },
  {
    name: 'agent, validations',
    path: '/agent/5:0?tab=validations&by=kyc-level-2',
    shows: /4 of clients that do not pass.*ipfs:\/\/to-be-validated.*95 of 100/s,
  },
  { name: 'agent, history', path: '/agent/5:1?tab=history', shows: /Transferred/ },
  { name: 'agent whose registration is hostile', path: '/agent/5:2', shows: /gnp\.exe/ },
  {
    name: 'agent whose registration is too large',
    path: '/agent/5:3',
    shows: /Unnamed agent 3.*cannot be read/s,
  },
  {
    name: 'agent that is not indexed',
    path: '/agent/5:99',
    shows: /not in the index/,
    expectedStatuses: [404],
  },
  {
    name: 'agent of a malformed id',
    path: `/agent/${encodeURIComponent('<img src=x onerror=alert(1)>\u202E')}`,
    shows: /This is no id of an agent/,
    expectedStatuses: [400],
  },
  { name: 'search for an agent', path: '/search?q=Ada', shows: /Agents \(1\)/ },
  { name: 'address', path: `/address/${demoAccount}` },
  { name: 'address with odd records', path: `/address/${oddAttester}` },
  { name: 'address that received', path: `/address/${lookAlike}` },
  { name: 'address that nothing mentions', path: `/address/${stranger}` },
  {
    name: 'address that is none',
    path: '/address/0x12',
    shows: /Search for it on every chain/,
    expectedStatuses: [400],
  },
  { name: 'search', path: '/search?q=KYC', shows: /KYC Level 2/ },
  { name: 'search, nothing typed', path: '/search', shows: /looking for/ },
  { name: 'search, nothing found', path: '/search?q=nothing-is-called-this', shows: /nothing/i },
  { name: 'gate', path: '/gate', shows: /kyc-level-2/ },
  {
    name: 'gate, let through',
    path: `/gate?policy=kyc-level-2&address=${member}`,
    shows: /This address passes/,
  },
  {
    name: 'gate, not let through',
    path: `/gate?policy=kyc-level-2&address=${stranger}`,
    shows: /This address does not pass/,
  },
  {
    name: 'gate, not known, with terms at several depths',
    path: `/gate?policy=either&address=${stranger}`,
    shows: /Not known whether/,
  },
  {
    name: 'gate, a policy of hostile text',
    path: `/gate?address=${stranger}&rule=${encodeURIComponent(
      JSON.stringify({
        holds: {
          schema: oddSchemaId('html'),
          attester: 'any',
          field: { text: { contains: '<img src=x onerror="document.title=\'pwned\'">\u202Egnp.exe\u202C' } },
        },
        maxStaleness: '1000w',
      }),
    )}`,
    shows: /This address does not pass/,
  },
  {
    name: 'gate, a policy with mistakes',
    path: `/gate?address=${stranger}&rule=${encodeURIComponent('{"holds":{"schema":"x","attester":"any"}}')}`,
    shows: /policy\.holds\.schema must be/,
    expectedStatuses: [400],
  },
  {
    name: 'gate, a policy that the server does not have',
    path: `/gate?address=${stranger}&policy=none`,
    shows: /There is no policy/,
    expectedStatuses: [404],
  },
  { name: 'gate, what cannot be asked', path: '/gate?policy=either&address=0x12', shows: /40 hexadecimal/ },
  { name: 'verify', path: '/verify', shows: /Nothing is stored/ },
  {
    name: 'verify, a link',
    path: new URL(documentedLink).pathname + new URL(documentedLink).hash,
    shows: /cannot be confirmed here/,
  },
  {
    name: 'verify, a damaged link',
    path: '/offchain/url/#attestation=eNo',
    shows: /no attestation that can be read/,
  },
  {
    name: 'page that does not exist',
    path: '/nowhere',
    shows: /no such page/,
    expectedStatuses: [404],
  },
  ...['/', '/schemas', '/attestations', `/attestation/${demoAttestation}`, '/search?q=KYC'].flatMap(
    (path): PageState[] => [
      {
        name: `${path}, the server away`,
        path,
        offline: true,
        arrange: refuse,
        shows: /answer/i,
      },
      {
        name: `${path}, the index away`,
        path,
        expectedStatuses: [503],
        arrange: fail,
        shows: /try again/i,
      },
      { name: `${path}, loading`, path, arrange: withhold, isLoading: true },
    ],
  ),
]
