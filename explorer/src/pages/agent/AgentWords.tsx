import { Link } from '@tanstack/react-router'
import type { Agent } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { Facts } from '../../components/Facts.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import styles from './AgentPage.module.css'

/** An agent's description of itself. Its owner writes it and nobody checks it: each link shows where it leads. */
export function AgentWords({ agent }: { readonly agent: Agent }) {
  const { uri, uriState, uriReason, active, image, endpoints, metadata, didAddresses, x402 } = agent
  return (
    <div className={styles.words}>
      <Card title="What it says of itself" flush>
        <p className={styles.note}>{wordsOf(uriState)}</p>
        {uriReason !== '' && (
          <p className={styles.note}>
            <SafeText text={uriReason} />
          </p>
        )}
        <Facts
          facts={[
            uri !== '' && {
              label: 'Registration',
              value: <SafeText text={uri} lengthMax={160} />,
            },
            active !== null && { label: 'Active', value: active ? 'Says that it is' : 'Says that it is not' },
            x402 !== null && {
              label: 'Payments by x402',
              value: x402 ? 'Says that it takes them' : 'Says that it takes none',
            },
            listOf('Skills', agent.skills),
            listOf('Domains', agent.domains),
            listOf('Trust by', agent.trusts),
            image !== '' && { label: 'Image', value: <SafeText text={image} lengthMax={160} /> },
            didAddresses.length > 0 && {
              label: 'As did:web',
              value: (
                <ul className={styles.list}>
                  {didAddresses.map(({ did, address }) => (
                    <li key={did}>
                      <SafeText text={did} lengthMax={160} />, attested as <Address address={address} />
                    </li>
                  ))}
                </ul>
              ),
            },
          ]}
        />
      </Card>
      {endpoints.length > 0 && (
        <Card title="Endpoints" flush>
          <DataTable
            caption="Endpoints of the agent"
            tableWidthMin={34}
            columns={endpointColumns}
            rows={endpoints}
            rowKey={(_, index) => index}
          />
        </Card>
      )}
      {metadata.length > 0 && (
        <Card title="Metadata" flush>
          <DataTable
            caption="Metadata of the agent"
            tableWidthMin={34}
            columns={metadataColumns}
            rows={metadata}
            rowKey={({ key }) => key}
          />
        </Card>
      )}
    </div>
  )
}

/** Capabilities that the agent claims. Each leads to the agents that claim the same. */
function listOf(label: string, capabilities: readonly string[]) {
  return (
    capabilities.length > 0 && {
      label,
      value: (
        <ul className={styles.chips}>
          {capabilities.map((capability, index) => (
            <li key={index}>
              <Link to="/agents" search={{ capability }}>
                <SafeText text={capability} lengthMax={80} />
              </Link>
            </li>
          ))}
        </ul>
      ),
    }
  )
}

function wordsOf(state: Agent['uriState']): string {
  switch (state) {
    case 'read':
      return 'Its registration stands on chain. The owner wrote it; nobody checked it.'
    case 'unread':
      return 'Its registration stands elsewhere, and is not read here.'
    case 'verified':
      return 'Its registration stands elsewhere; its bytes are those that the chain names. Nobody checked what it says.'
    case 'unverified':
      return 'Its registration stands elsewhere, where it may change. Nobody checked what it says.'
    case 'pending':
      return 'Its registration stands elsewhere, and was not fetched yet.'
    case 'missing':
      return 'Its registration stands elsewhere, where it was not found.'
    case 'mismatch':
      return 'Its registration stands elsewhere, where other bytes were found than the chain names.'
    case 'refused':
      return 'Its registration cannot be read.'
    case 'none':
      return 'It has no registration.'
  }
}

type Endpoint = Agent['endpoints'][number]

/** A link where all of it can be seen; other texts stay texts. */
function EndpointLink({ url }: { readonly url: string }) {
  const text = <SafeText text={url} lengthMax={200} />
  return /^https?:\/\/[!-~]{1,197}$/.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer nofollow">
      {text}
    </a>
  ) : (
    text
  )
}

const endpointColumns: readonly Column<Endpoint>[] = [
  {
    header: 'Speaks',
    width: '11rem',
    inCard: 'head',
    cell: ({ name, version }) => (
      <>
        {name !== '' && (
          <Link to="/agents" search={{ service: name }} title="Agents that say the same">
            <SafeText text={name} lengthMax={40} />
          </Link>
        )}{' '}
        <SafeText text={version} lengthMax={20} />
      </>
    ),
  },
  { header: 'Endpoint', grow: true, cell: ({ endpoint }) => <EndpointLink url={endpoint} /> },
]

const metadataColumns: readonly Column<Agent['metadata'][number]>[] = [
  {
    header: 'Key',
    width: '12rem',
    inCard: 'head',
    cell: ({ key }) => <SafeText text={key} lengthMax={80} />,
  },
  { header: 'Value', grow: true, cell: ({ value }) => <SafeText text={textOf(value)} lengthMax={120} /> },
]

/** Bytes that are plain text as that text, others as digits. */
function textOf(value: string): string {
  const bytes = Uint8Array.from(value.slice(2).match(/../g) ?? [], (digits) => parseInt(digits, 16))
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]+$/u.test(text) ? text : value
  } catch {
    return value
  }
}
