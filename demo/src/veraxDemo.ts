import { type Address, encodeFunctionData, getAddress, type Hex, parseEventLogs } from 'viem'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { renewed, veraxSchemas } from './content/veraxSchemas.ts'
import { demoAccount } from './demoAccounts.ts'
import type { DemoAttestation, DemoCalls, DemoProtocol, DemoRevocation } from './demoProtocol.ts'
import { deployVerax, type VeraxContracts, veraxAbi, veraxContracts } from './deployVerax.ts'
import { type DevClient, mineTransactions } from './devChain.ts'

const deployer = demoAccount(0).address
/** The transactions with which the same account deploys EAS on the same chain. */
const nonce = 3
/** A prefix that no chain of Verax has. */
const chainPrefix = 0x7fffn << 240n
const renewalS = 365n * 86_400n
const { attestationRegistry, ...registries } = veraxContracts({ from: deployer, nonce })

/** Verax, beside EAS: each attester has a portal. Attestations that are revoked as renewed are replaced. */
export const veraxDemo: DemoProtocol<Hex> = {
  chainId: 31_338,
  chainName: 'Demo L2',
  schemas: veraxSchemas,
  attestations: 260,
  contracts: [{ protocol: 'verax', address: attestationRegistry, ...registries, startBlock: 1 }],
  deploy: async (client, options) => {
    const contracts = await deployVerax(client, { ...options, nonce, chainPrefix })
    const portals = await deployPortals(client, contracts, await options.nextTimestampS?.())
    return createVeraxCalls(client, contracts, portals)
  },
}

const issuers: ReadonlyMap<number, string> = new Map([
  [3, 'Persona Labs'],
  [4, 'Audit Guild'],
  [10, 'City Registry'],
])

/** The portal of each issuer, by the address of its owner. */
async function deployPortals(
  client: DevClient,
  { portalRegistry: to }: VeraxContracts,
  timestampS?: number,
): Promise<ReadonlyMap<Address, Address>> {
  const transactions = [...issuers].map(([account, name]) => {
    const args = [[], `${name} Portal`, `The attestations of ${name}`, true, name] as const
    return {
      from: demoAccount(account).address,
      to,
      data: encodeFunctionData({ abi: veraxAbi, functionName: 'deployDefaultPortal', args }),
    }
  })
  const receipts = await mineTransactions(client, transactions, timestampS)
  return new Map(
    receipts.flatMap(({ from, logs }) =>
      parseEventLogs({ abi: veraxAbi, logs, eventName: 'PortalRegistered' }).map(
        ({ args }) => [getAddress(from), args.portal] as const,
      ),
    ),
  )
}

function createVeraxCalls(
  client: DevClient,
  contracts: VeraxContracts,
  portals: ReadonlyMap<Address, Address>,
): DemoCalls<Hex> {
  const portalOf = (attester: Address): Address => {
    const portal = portals.get(attester)
    if (portal === undefined) throw new StartError(`The demo has no portal of ${attester}.`)
    return portal
  }
  return {
    register: async ({ name, description, context = '', registrant }, text) => {
      const args = [name, description, context, text] as const
      const data = encodeFunctionData({ abi: veraxAbi, functionName: 'createSchema', args })
      return [{ from: demoAccount(registrant).address, to: contracts.schemaRegistry, data }]
    },
    attest: async (attestations) => {
      const [first] = attestations
      if (first === undefined) throw new RangeError('A batch holds at least one attestation.')
      const from = demoAccount(first.planned.attester).address
      const args = [attestations.map(payloadOf), attestations.map(() => [])] as const
      const data = encodeFunctionData({ abi: veraxAbi, functionName: 'bulkAttest', args })
      return { from, to: portalOf(from), data }
    },
    revoke: async (attester, revocations) => {
      const ids = revocations.map(({ attestationId }) => attestationId)
      const isRenewal = revocations.every(({ reason }) => reason === renewed)
      const data = isRenewal
        ? await encodeRenewal(client, contracts, revocations)
        : encodeFunctionData({ abi: veraxAbi, functionName: 'bulkRevoke', args: [ids] })
      return { from: attester, to: portalOf(attester), data }
    },
    anchor: () => Promise.reject(new RangeError('Verax has no anchors.')),
    revokeAnchor: () => Promise.reject(new RangeError('Verax has no anchors.')),
    createdIds: ({ logs }) => {
      const events = parseEventLogs({ abi: veraxAbi, logs })
      return {
        schemaIds: events.flatMap((log) => (log.eventName === 'SchemaCreated' ? [log.args.id] : [])),
        attestationIds: events.flatMap((log) =>
          log.eventName === 'AttestationRegistered' ? [log.args.attestationId] : [],
        ),
      }
    },
  }
}

function payloadOf({ schemaId, planned }: DemoAttestation<Hex>) {
  const [subject] = planned.recipients
  if (subject === undefined) throw new RangeError('An attestation of Verax has a subject.')
  return { schemaId, expirationDate: planned.validUntil, subject, attestationData: planned.data }
}

/** The same attestations for another year. */
async function encodeRenewal(
  client: DevClient,
  { attestationRegistry: address }: VeraxContracts,
  revocations: readonly DemoRevocation<Hex>[],
): Promise<Hex> {
  const ids = revocations.map(({ attestationId }) => attestationId)
  const records = await Promise.all(
    ids.map((id) =>
      client.readContract({ address, abi: veraxAbi, functionName: 'getAttestation', args: [id] }),
    ),
  )
  const payloads = records.map(({ schemaId, attestedDate, expirationDate, subject, attestationData }) => ({
    schemaId,
    expirationDate: (expirationDate === 0n ? attestedDate : expirationDate) + renewalS,
    subject,
    attestationData,
  }))
  const args = [ids, payloads, ids.map(() => [])] as const
  return encodeFunctionData({ abi: veraxAbi, functionName: 'bulkReplace', args })
}
