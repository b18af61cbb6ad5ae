import type { EndpointTool } from '../../pipeline/endpoint.ts'

/** A tool that asks one endpoint of the REST interface. */
export interface ToolEntry extends EndpointTool {
  /** The path of the endpoint, as its route has it. */
  readonly path: string
  /** For an endpoint whose body has members of any name: the announced ones, of which `whole` takes a whole body. */
  readonly openBody?: { readonly whole: string; readonly members: Readonly<Record<string, string>> }
}

const agentId = 'Id of the agent. Example: 8453:22.'
const composite = 'Ids are composite, such as onchain_evm_11155111_0x1a.'

/** The tools that read the index. A tool exists where its endpoint does, and takes the parameters of the endpoint. */
export const toolList: readonly ToolEntry[] = [
  {
    name: 'evaluate_policy',
    path: '/scan/gate',
    description:
      'The tool for decisions: whether a policy lets addresses through (allow, deny, or unknown while the index cannot ' +
      'tell), and which attestations decided. Takes a policy of the server by its name, or a policy itself such as ' +
      '{"holds": {"schema": "onchain_evm_10_0x8", "attester": ["0x…"]}}. Name attesters whom the user trusts: anybody ' +
      'may attest under a schema.',
  },
  {
    name: 'search',
    path: '/scan/search',
    description: 'Finds schemas and attestations by an id, a name, an address, a transaction or a value.',
  },
  {
    name: 'get_schema',
    path: '/scan/schemas/:id',
    description: `One schema: its name, fields, registrant and whether its attestations can be revoked. ${composite}`,
  },
  {
    name: 'get_attestation',
    path: '/scan/attestations/:id',
    description: `One attestation, with its payload decoded and whether it was revoked. ${composite}`,
  },
  {
    name: 'get_address',
    path: '/scan/addresses/:address/statistics',
    description: 'How many attestations an address made and received, and how many schemas it registered.',
  },
  {
    name: 'get_transaction',
    path: '/scan/transactions/:hash',
    description: 'The schemas, attestations and revocations of one transaction.',
  },
  {
    name: 'list_chains',
    path: '/scan/chains',
    description: 'The indexed chains: how far each is indexed, how old that is, and how many records it has.',
  },
  {
    name: 'list_schemas',
    path: '/scan/schemas',
    description: 'Schemas that pass all given filters, newest first, with the exact total.',
  },
  {
    name: 'list_attestations',
    path: '/scan/attestations',
    description:
      'Attestations that pass all given filters, newest first, with their payloads decoded and the exact total. ' +
      'For more than some pages, begin with cursor * and pass on nextCursor.',
  },
  {
    name: 'group_attestations',
    path: '/scan/aggregate/attestations',
    description: 'Exact counts of the attestations that pass all given filters, by the values of one key.',
  },
  {
    name: 'attestation_status',
    path: '/scan/attestations/status',
    description:
      'Whether each of many attestations is valid, revoked, expired or unknown (not indexed here). The reason of a chain ' +
      'says why records or revocations may be missing; null where none are.',
  },
  {
    name: 'find_holders',
    path: '/scan/holders',
    description:
      'Which of many addresses hold a valid attestation under a schema, by an attester whom the user trusts. The verdict ' +
      'of each is yes, no, or unknown while the index of the chain is behind: unknown is not no. To decide who may pass, ' +
      'ask evaluate_policy.',
  },
  {
    name: 'verify_offchain',
    path: '/scan/offchain/verify',
    description:
      'Checks a signed off-chain attestation of EAS or Sign Protocol: its envelope, or url with its link.',
    openBody: {
      whole: 'envelope',
      members: {
        envelope:
          "An envelope of EAS or BAS (`sig`, `signer`), or the body that Sign Protocol's client sends (`signType`, " +
          '`publicKey`, `signature`, `message`, `attestation`). Sent as JSON text.',
        url: 'A link that holds an envelope.',
      },
    },
  },
  {
    name: 'list_agents',
    path: '/scan/agents',
    description:
      'AI agents of ERC-8004 that pass all given filters, newest first, with what their registrations say and the exact total.',
  },
  {
    name: 'get_agent',
    path: '/scan/agents/:id',
    argumentDescriptions: { id: agentId },
    description:
      'One agent of ERC-8004: who owns it, what its registration says, its endpoints and metadata. Ids are such as 8453:22.',
  },
  {
    name: 'list_feedback',
    path: '/scan/agents/:id/feedback',
    argumentDescriptions: { id: agentId },
    description:
      'The feedback that an agent of ERC-8004 was given, newest first. Anybody may give it under any number of keys: by ' +
      'names a policy of the server, and takes the feedback of reviewers that it lets through.',
  },
  {
    name: 'list_validations',
    path: '/scan/agents/:id/validations',
    argumentDescriptions: { id: agentId },
    description:
      'The validations that were asked for an agent of ERC-8004, newest request first, each with the newest response of its validator.',
  },
  {
    name: 'get_proof',
    path: '/scan/attestations/:id/proof',
    description:
      'A proof that an attestation was made or revoked, from the receipts of its block. verify_proof checks it.',
  },
]

/** Descriptions of arguments that the endpoints describe as parts of a URL. */
export const sharedDescriptions: Readonly<Record<string, string>> = {
  field:
    'Only attestations whose decoded payload has such values, as JSON text: {"country": "FR", "level": {"gte": "2"}, ' +
    '"city": {"in": ["Lisbon", "Kyiv"]}}. Operators: in, gt, gte, lt, lte, contains, startsWith; all values are texts. ' +
    'Members of a tuple follow dots (person.name), arrays are looked into, and a backslash stands before a dot, ' +
    'bracket or backslash of a name. schemaId says whose fields they are; equality and in also work without it.',
}

/**
 * Parameters that a tool sets itself, to the first of these values that the parameter of its endpoint can have; none for
 * those that only make sense for a program that waits.
 */
export const fixedParameters: Readonly<Record<string, readonly string[]>> = {
  include: ['decoded,protocol', 'protocol'],
  fields: [],
  wait: [],
}
