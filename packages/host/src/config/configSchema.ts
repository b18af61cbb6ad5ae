import { Type, type Static } from 'typebox'
import { block, flag, list, text, wholeNumber } from './schemaKeys.ts'
import { keptRows } from './keptRows.ts'
import { keys } from './keySchema.ts'
import { ownPartPaths, type PartPaths } from './accessRules.ts'
import { fieldsDefault } from '../fieldSetting.ts'
import { blockNumberMax } from '@attestry/core/model/position.ts'

/**
 * The schema of the configuration file. The program's checks, the messages about mistakes and `attestry.schema.json`
 * for editors come from this schema. `resolveChains` checks rules over several values, such as no chain twice.
 * @param added the keys of capabilities.
 */
export function createConfigSchema(protocolNames: readonly string[], added: AddedKeys = noKeys) {
  const protocol = Type.Enum([...protocolNames], { description: 'A protocol that can be indexed.' })
  const address = (description: string) =>
    Type.String({
      pattern: addressPattern,
      title: 'an address of 0x and 40 hexadecimal digits',
      description,
      examples: ['0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'],
    })
  const contract = block(null, {
    protocol,
    address: address('The contract that makes attestations.'),
    schemaRegistry: Type.Optional(
      address('The contract that registers schemas, where the protocol keeps it apart.'),
    ),
    portalRegistry: Type.Optional(
      address('The contract that registers portals (verax); without it, portals have no name and owner.'),
    ),
    moduleRegistry: Type.Optional(
      address('The contract that registers modules (verax); without it, no modules are known.'),
    ),
    reputationRegistry: Type.Optional(
      address('The contract that takes feedback (erc8004); without it, no feedback is indexed.'),
    ),
    validationRegistry: Type.Optional(
      address('The contract that takes validations (erc8004); without it, no validations are indexed.'),
    ),
    startBlock: wholeNumber(
      0,
      blockNumberMax,
      null,
      'The first block to index; without it, that of the deployment is found, once.',
      5658228,
    ),
  })
  const requests = (description: string, defaults: RequestLimitDefaults) =>
    block(description, {
      perSecond: wholeNumber(
        1,
        100_000,
        defaults.perSecond,
        'Calls sent within any second; each call of a batch counts, as providers count.',
      ),
      inFlight: wholeNumber(1, 10_000, defaults.inFlight, 'Requests under way at a time.'),
    })
  const chain = block(null, {
    chainId: wholeNumber(
      1,
      Number.MAX_SAFE_INTEGER,
      null,
      'The chain number of EIP-155; without it, name is that of a known network.',
      11155111,
    ),
    name: text({
      minLength: 1,
      description:
        'What logs and answers call the chain; known chains have a name. Without chainId, a name that attestry networks lists.',
      examples: ['Sepolia'],
    }),
    explorerUrl: text({
      pattern: '^https?://[^\\s?#"<>]+$',
      title: 'a URL that starts with http:// or https://, without a query',
      description:
        'A block explorer with the paths /address, /tx and /block, for links in answers; known chains have one.',
      examples: ['https://sepolia.etherscan.io'],
    }),
    rpc: Type.Array(
      Type.String({
        minLength: 1,
        description:
          'A JSON-RPC endpoint by http, https, ws or wss; ${NAME} is replaced by an environment variable.',
        examples: ['wss://rpc.example', 'https://rpc.example'],
      }),
      {
        minItems: 1,
        description:
          'The JSON-RPC endpoints of the chain; the next one is asked when one fails. One by ws or wss tells of new heads.',
        examples: [['wss://rpc.example', 'https://rpc.example']],
      },
    ),
    requests: Type.Optional(
      requests('How much each endpoint of the chain is asked at most.', endpointRequestsDefault),
    ),
    from: text({
      minLength: 1,
      description:
        'Where the chain is published: a URL, a folder or s3://BUCKET/PREFIX. A chain that is new to the index begins with what is there.',
      examples: ['https://chunks.example/attestry/'],
    }),
    protocols: list(protocol, {
      minItems: 1,
      description: 'Protocols whose known deployment on the chain is indexed.',
      examples: [protocolNames.slice(0, 1)],
    }),
    contracts: list(contract, { minItems: 1, description: 'Deployments that are spelled out.' }),
    finality: wholeNumber(
      0,
      100_000,
      finalityDefault,
      'Blocks behind the head that may still change; known chains have their own default.',
    ),
    pollIntervalMs: wholeNumber(
      10,
      3_600_000,
      pollIntervalMsDefault,
      'Milliseconds between two polls of the head. Where blocks come regularly, a poll follows when the next one is due.',
    ),
    transactionSenders: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Fetch each transaction's sender, for the `from` of /index; one request more a transaction.",
      }),
    ),
  })
  const databaseUrl = Type.String({
    default: databaseDefault,
    description:
      'The path of a SQLite file or the URL of a PostgreSQL database; the environment variable DATABASE_URL overrides it.',
    examples: [databaseDefault, './attestry.db', 'postgres://attestry:password@localhost:5432/attestry'],
  })
  const database = block('Where the index is kept, and where it is read from.', {
    url: Type.Optional(databaseUrl),
  })
  const fields = Type.Union(
    [
      Type.Enum(['all', 'none']),
      Type.Array(
        Type.String({
          pattern: '^onchain_evm_[0-9]+_0x[0-9a-fA-F]+$',
          title: 'the composite id of a schema',
          examples: ['onchain_evm_11155111_0x1a'],
        }),
        { maxItems: 10_000 },
      ),
    ],
    {
      default: fieldsDefault,
      description:
        'The schemas whose decoded fields are indexed, so that filters on fields cost what other filters cost: all, none, or a list of composite ids. A change is made from the stored payloads while the indexer runs.',
      examples: [fieldsDefault, ['onchain_evm_11155111_0x1a']],
    },
  )
  return block(null, {
    database: Type.Optional(Type.Union([databaseUrl, database])),
    server: Type.Optional(
      block(null, {
        host: text({
          pattern: hostPattern,
          title: 'an IP address or the name of a host',
          default: hostDefault,
          description: 'The address to listen on; the environment variable HOST overrides it.',
          examples: [hostDefault],
        }),
        port: wholeNumber(
          0,
          portMax,
          portDefault,
          'The port to listen on, 0 for any; the environment variable PORT overrides it.',
        ),
        workers: wholeNumber(
          1,
          workersMax,
          null,
          'Processes that answer, all on the one port; without it, one for each processor, less one for the indexer where there are three or more.',
          2,
        ),
        keys: Type.Optional(keys),
        private: list(Type.Enum(Object.keys(added.partPaths)), {
          description: 'The parts of the interface that need one of the keys.',
          examples: [['metrics', 'export']],
        }),
        anonymous: flag(true, 'Whether requests without one of the keys are answered at all.'),
        origins: list(Type.String({ examples: ['https://app.example'] }), {
          minItems: 1,
          description:
            'The web pages that may ask, by their origins, or "*" for all. By default all, and on a loopback host without trustProxy those of this machine.',
          examples: [['https://app.example'], ['*']],
        }),
        metricsHost: text({
          pattern: hostPattern,
          default: metricsHostDefault,
          description: 'Where the metricsPort is listened on.',
          examples: [metricsHostDefault],
        }),
        metricsPort: wholeNumber(
          1,
          portMax,
          null,
          'A port of its own for /metrics; without it, the path is on the main one.',
          9400,
        ),
        maxAgeSeconds: wholeNumber(
          0,
          86_400,
          0,
          'How many seconds caches may keep answers, and as many more while they fetch a new one; 0: they ask each time.',
          5,
        ),
        versionEveryMs: wholeNumber(
          0,
          60_000,
          0,
          'How many milliseconds a version of the index counts for cached answers, before the database is asked again.',
          250,
        ),
        rateLimit: Type.Optional(
          block('How often one client may ask; without it, as often as it likes.', {
            max: wholeNumber(1, 1_000_000_000, null, 'Requests that a client may make in a window.', 600),
            costMs: wholeNumber(
              1,
              1_000_000_000,
              null,
              'Milliseconds of processing that a client may ask for in a window.',
              20_000,
            ),
            windowSeconds: Type.Integer({
              minimum: 1,
              maximum: 86_400,
              description: 'Length of a window.',
              examples: [60],
            }),
            valkey: text({
              pattern: '^(redis|valkey)s?://.',
              maxLength: 2_000,
              title: 'the URL of a server of Valkey or Redis',
              description:
                'Where several machines count together; without it, each counts the requests that it gets.',
              examples: ['valkey://10.0.0.5:6379'],
            }),
          }),
        ),
        trustProxy: list(
          Type.String({
            pattern: '^(loopback|linklocal|uniquelocal|[0-9A-Fa-f.:]+(/[0-9]{1,3})?)$',
            title: 'an IP address, a network such as 10.0.0.0/8, loopback, linklocal or uniquelocal',
            examples: ['loopback'],
          }),
          {
            minItems: 1,
            description: 'Proxies whose X-Forwarded-For names the client; without them, it is who connects.',
            examples: [['loopback']],
          },
        ),
        ...added.server,
      }),
    ),
    requests: Type.Optional(
      requests('How much all endpoints of all chains are asked at most.', allRequestsDefault),
    ),
    journal: keptRows(
      'How far the journal of changes reaches back.',
      'How long changes are kept for hooks and for clients of /scan/events, in hours.',
      'Rows of changes that are kept; a row holds what one commit wrote.',
    ),
    ...added.top,
    index: Type.Optional(block('What is indexed of records.', { fields: Type.Optional(fields) })),
    chains: Type.Array(chain, { minItems: 1, description: 'The chains to index.' }),
  })
}

/** Keys at the top of the configuration and under `server`. Their static types are those of their parts. */
export interface AddedKeys {
  readonly top: object
  readonly server: object
  /** The parts of the interface that may be private. */
  readonly partPaths: PartPaths
}

const noKeys: AddedKeys = { top: {}, server: {}, partPaths: ownPartPaths }

/** A configuration file that matches the schema. */
export type ConfigFile = Static<ReturnType<typeof createConfigSchema>>

/** One entry of `chains`. */
export type ChainEntry = ConfigFile['chains'][number]

export const databaseDefault = 'sqlite:./data/attestry.db'
export const hostDefault = '127.0.0.1'
export const portDefault = 4000
export const metricsHostDefault = '127.0.0.1'
export const portMax = 65_535
const workersMax = 256
export const finalityDefault = 64

interface RequestLimitDefaults {
  readonly perSecond: number
  readonly inFlight: number
}

/**
 * Eight requests in flight suit a paid plan or an own node. So many calls a second are those of an own node: no plan
 * of a provider allows them. A provider answers 429 beyond the limit of a plan, and gets fewer requests.
 */
export const endpointRequestsDefault: RequestLimitDefaults = { perSecond: 10_000, inFlight: 8 }
/** Enough for some twenty chains at once, within the sockets of one machine. */
export const allRequestsDefault: RequestLimitDefaults = { perSecond: 40_000, inFlight: 64 }

export const pollIntervalMsDefault = 1_000

/** An IP address or a host name, without scheme or port. The colons are those of IPv6. */
export const hostPattern = '^[0-9A-Za-z.:_-]+$'

const addressPattern = '^0x[0-9a-fA-F]{40}$'
