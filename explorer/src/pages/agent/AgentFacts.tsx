import type { Agent } from '../../api/types.ts'
import { AgentAccount } from '../../components/AgentLink.tsx'
import { ChainFact } from '../../components/ChainFact.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Time } from '../../components/Time.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { formatCount } from '../../format/formatCount.ts'

/** Facts about an agent from the chain itself. */
export function AgentFacts({ agent }: { readonly agent: Agent }) {
  const { id, chainId, agentId, owner, wallet, transactionHash } = agent
  const chain = useChain(chainId)
  return (
    <Facts
      facts={[
        {
          label: 'Id',
          value: (
            <>
              <SafeText text={id} /> <CopyButton value={id} label="Copy id of the agent" />
            </>
          ),
        },
        { label: 'Number', value: <SafeText text={agentId} /> },
        { label: 'Chain', value: <ChainFact chainId={chainId} /> },
        { label: 'Owner', value: <AgentAccount address={owner} /> },
        { label: 'Wallet', value: <AgentAccount address={wallet} /> },
        { label: 'Registered', value: <Time seconds={agent.registeredTimestamp} show="both" /> },
        agent.updatedTimestamp !== agent.registeredTimestamp && {
          label: 'Last change',
          value: <Time seconds={agent.updatedTimestamp} show="both" />,
        },
        { label: 'Clients', value: formatCount(agent.reviewerCount) },
        { label: 'Feedback revoked', value: formatCount(agent.revokedCount) },
        {
          label: 'Transaction',
          value: (
            <Hash
              hash={transactionHash}
              what="transaction hash"
              href={explorerLink(chain, 'transaction', transactionHash)}
            />
          ),
        },
      ]}
    />
  )
}
