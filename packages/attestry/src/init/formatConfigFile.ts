import type { Network } from '@attestry/host/networks/knownNetworks.ts'

/** One chain of the file that `attestry init` writes. */
export interface ChosenChain {
  readonly network: Network
  /** Protocols that the network has known deployments of; at least one. */
  readonly protocols: readonly string[]
  /** Endpoint URLs; a part that may be a key stands as `${NAME}`. */
  readonly endpoints: readonly string[]
}

/** The text of a configuration file of the chosen chains, with comments. */
export function formatConfigFile(chains: readonly ChosenChain[]): string {
  return `${head}${chains.map(formatChain).join('')}`
}

const head = `# yaml-language-server: $schema=./attestry.schema.json
# The configuration of Attestry; docs/configure.md explains each key.

# The index: a SQLite file, or the URL of a PostgreSQL database.
database: sqlite:./data/attestry.db

# Where the index is served. 127.0.0.1 is this machine alone.
server:
  host: 127.0.0.1
  port: 4000

# The chains to index. \${NAME} stands for an environment variable, which keeps keys out of the file.
chains:
`

function formatChain({ network, protocols, endpoints }: ChosenChain): string {
  return `  # ${network.title}
  - chainId: ${network.chainId}
    # JSON-RPC endpoints by http, https, ws or wss; the next one is asked when one fails.
    rpc:
${endpoints.map((url) => `      - ${JSON.stringify(url)}\n`).join('')}    # Protocols whose known deployments are indexed.
    protocols: [${protocols.join(', ')}]
    # For a free plan of a provider: how much each endpoint is asked at most.
    # requests: { perSecond: 5, inFlight: 2 }
`
}
