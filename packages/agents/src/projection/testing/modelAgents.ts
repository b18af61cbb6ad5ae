import { readRegistration } from '@attestry/core/model/agentRegistration.ts'
import {
  agentNumber,
  agentProtocol,
  feedbackSchemaId,
  parseAgentChange,
  parseAgentNote,
} from '@attestry/core/model/agents.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { GeneratedBlock } from '@attestry/store/testing/generatedChain.ts'

/** An agent as the events of its chain make it, worked out from all of them at once. */
export interface ModelAgent {
  readonly chainId: ChainId
  readonly agentId: string
  readonly owner: string | null
  readonly wallet: string | null
  readonly name: string
  readonly active: boolean | null
  readonly registeredTimestamp: number
  readonly versionCount: number
  readonly feedbackCount: number
  readonly revokedCount: number
  readonly reviewerCount: number
  readonly responseCount: number
  readonly feedbackTimestamp: number
  readonly position: number
}

/** The registered agents of chains, newest first. */
export function modelAgents(chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>): ModelAgent[] {
  return [...chains]
    .flatMap(([chainId, blocks]) =>
      agentsOf(
        chainId,
        blocks.flatMap((block) => block.events),
      ),
    )
    .sort(
      (a, b) =>
        b.registeredTimestamp - a.registeredTimestamp || b.chainId - a.chainId || b.position - a.position,
    )
}

function agentsOf(chainId: ChainId, events: readonly DomainEvent[]): ModelAgent[] {
  const changes = events.flatMap((event) => {
    const change = event.kind === 'metadataSet' && event.of === 'agent' ? parseAgentChange(event.body) : null
    return change === null || event.kind !== 'metadataSet'
      ? []
      : [{ ...change, subject: event.subject, position: event.position }]
  })
  return [...Map.groupBy(changes, ({ subject }) => subject)].map(([subject, versions]) => {
    const agentId = agentNumber(subject as never)
    const feedback = events.flatMap((event) =>
      event.kind === 'attestationMade' &&
      event.attestation.protocol === agentProtocol &&
      event.attestation.schemaLocalId === feedbackSchemaId &&
      event.attestation.recipients.some(
        ({ kind, ...rest }) => kind === 'text' && Object.values(rest).some((t) => t.endsWith(`/${agentId}`)),
      )
        ? [event.attestation]
        : [],
    )
    const revoked = feedback.filter(({ key, position }) =>
      events.some(
        (event) =>
          event.kind === 'attestationRevoked' && event.localId === key.localId && event.position > position,
      ),
    )
    const owners = versions.flatMap((each) =>
      each.change === 'registered' ? [each.owner] : each.change === 'transferred' ? [each.to] : [],
    )
    const uri = versions.flatMap((each) => ('uri' in each ? [each.uri] : [])).at(-1) ?? ''
    const { profile } = readRegistration(uri)
    const [first] = versions
    return {
      chainId,
      agentId,
      owner: owners.at(-1) ?? null,
      wallet: walletOf(versions),
      name: profile.name,
      active: profile.active,
      registeredTimestamp: first?.timestamp ?? 0,
      versionCount: versions.length,
      feedbackCount: feedback.length,
      revokedCount: revoked.length,
      reviewerCount: new Set(feedback.map(({ attester }) => attester)).size,
      responseCount: events.filter(
        (event) =>
          event.kind === 'metadataSet' &&
          event.of === 'feedbackResponse' &&
          parseAgentNote(event.body)?.agent === subject,
      ).length,
      feedbackTimestamp: feedback.at(-1)?.attestTimestamp ?? 0,
      position: first?.position ?? 0,
    }
  })
}

function walletOf(versions: readonly NonNullable<ReturnType<typeof parseAgentChange>>[]): string | null {
  const last = versions
    .filter(
      (each) => each.change !== 'uriUpdated' && (each.change !== 'metadataSet' || each.key === 'agentWallet'),
    )
    .at(-1)
  if (last?.change === 'registered') return last.owner
  if (last?.change !== 'metadataSet') return null
  const { value } = last
  const address = value.length === 66 ? `0x${value.slice(26)}` : value
  return address.length === 42 && !/^0x0*$/.test(address) ? address : null
}
