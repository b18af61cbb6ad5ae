import type { CreatedIds, DemoCalls, DemoProtocol } from './demoProtocol.ts'

/** The id of a record with the place of its protocol among those that share the chain. */
export interface PlacedId<Id> {
  readonly place: number
  readonly id: Id
}

/**
 * Demos of protocols on one chain, that of the first, with one history of all. Each is deployed after the ones before
 * it, by the same account. Anchors are those of the first.
 */
export function combineDemos<Id>(
  first: DemoProtocol<Id>,
  ...others: readonly DemoProtocol<Id>[]
): DemoProtocol<PlacedId<Id>> {
  const protocols = [first, ...others]
  return {
    chainId: first.chainId,
    chainName: first.chainName,
    schemas: protocols.flatMap(({ schemas }) => schemas),
    attestations: protocols.reduce((sum, { attestations }) => sum + attestations, 0),
    contracts: protocols.flatMap(({ contracts }) => contracts),
    deploy: async (client, options) => {
      const calls: DemoCalls<Id>[] = []
      for (const protocol of protocols) calls.push(await protocol.deploy(client, options))
      return combineCalls(protocols, calls)
    },
  }
}

function combineCalls<Id>(
  protocols: readonly DemoProtocol<Id>[],
  calls: readonly DemoCalls<Id>[],
): DemoCalls<PlacedId<Id>> {
  const at = (place: number): DemoCalls<Id> => {
    const found = calls[place]
    if (found === undefined) throw new RangeError(`No protocol has the place ${place}.`)
    return found
  }
  return {
    register: (content, text, relayer) => {
      const place = protocols.findIndex(({ schemas }) => schemas.includes(content))
      return at(place).register(content, text, relayer)
    },
    attest: (attestations, relayer) =>
      at(attestations[0]?.schemaId.place ?? 0).attest(
        attestations.map(({ schemaId, linkedId, ...rest }) => ({
          ...rest,
          schemaId: schemaId.id,
          linkedId: linkedId?.id ?? null,
        })),
        relayer,
      ),
    revoke: (attester, revocations, relayer) =>
      at(revocations[0]?.schemaId.place ?? 0).revoke(
        attester,
        revocations.map(({ schemaId, attestationId, reason }) => ({
          schemaId: schemaId.id,
          attestationId: attestationId.id,
          reason,
        })),
        relayer,
      ),
    anchor: (attester, ids, relayer) => at(0).anchor(attester, ids, relayer),
    revokeAnchor: (attester, ids, reasons) => at(0).revokeAnchor(attester, ids, reasons),
    createdIds: (receipt): CreatedIds<PlacedId<Id>> => {
      const created = calls.map((each) => each.createdIds(receipt))
      const placed = (list: keyof CreatedIds<Id>) =>
        created.flatMap((ids, place) => ids[list].map((id) => ({ place, id })))
      return { schemaIds: placed('schemaIds'), attestationIds: placed('attestationIds') }
    },
  }
}
