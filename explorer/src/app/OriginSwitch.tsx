import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { useProtocolChoices } from '../components/filters/useChainChoices.ts'
import { useChains } from '../components/useChain.ts'
import { chainOfMoment } from '../format/moment.ts'
import { protocolName } from '../format/protocolName.ts'
import { withoutAbsent } from '../format/withoutAbsent.ts'
import styles from './OriginSwitch.module.css'

/** The chain and protocol of records; undefined members do not filter. */
export interface Origin {
  readonly chainId?: string | undefined
  readonly protocol?: string | undefined
}

interface OriginList {
  /** Whether its address names the protocol as well as the chain. */
  readonly hasProtocol: boolean
  /** Parameters that do not combine with a chain. */
  readonly rest: { readonly keyword?: undefined; readonly order?: undefined }
}

/** The lists whose address says the chain. */
const lists: Readonly<Record<string, OriginList>> = {
  '/attestations': { hasProtocol: true, rest: { keyword: undefined } },
  '/schemas': { hasProtocol: true, rest: { keyword: undefined, order: undefined } },
  '/stats': { hasProtocol: true, rest: {} },
  '/agents': { hasProtocol: false, rest: {} },
  '/address': { hasProtocol: false, rest: {} },
}

function listAt(pathname: string): OriginList | undefined {
  return lists[/^\/address(?=\/)/.exec(pathname)?.[0] ?? pathname]
}

/** The chain and protocol that lists show: as the address of the list says, elsewhere as that of the last one said. */
export function useOrigin(): Origin {
  const [kept, keep] = useState<Origin>({})
  const { pathname, search } = useRouterState({ select: ({ location }) => location })
  const list = listAt(pathname)
  if (list === undefined) return kept
  const { chainId, protocol }: Origin = search
  const here = { chainId, protocol: list.hasProtocol ? protocol : kept.protocol }
  if (here.chainId !== kept.chainId || here.protocol !== kept.protocol) keep(here)
  return here
}

export interface OriginSwitchProps {
  readonly origin: Origin
  /** The moment that the page shows; undefined for the present. */
  readonly asOf: string | undefined
}

/** The choice of chain and protocol for all lists. Beside a list, it leads to the attestations of the choice. */
export function OriginSwitch({ origin, asOf }: OriginSwitchProps) {
  const navigate = useNavigate()
  const list = useRouterState({ select: ({ location }) => listAt(location.pathname) })
  const chains = useChains() ?? []
  const protocols = useProtocolChoices()
  const chain = asOf === undefined ? undefined : chainOfMoment(asOf)
  const choose = (value: string) => {
    const [chainId = '', protocol = ''] = value.split(' ')
    const chosen = { chainId: chainId || undefined, protocol: protocol || undefined }
    if (list === undefined) return void navigate({ to: '/attestations', search: withoutAbsent(chosen) })
    const { rest } = list
    // The moment of a block is one of its own chain.
    const now = chain === undefined || chain === chainId ? {} : { asOf: undefined }
    void navigate({
      to: '.',
      search: (earlier: object) => ({ ...earlier, ...chosen, ...rest, ...now, page: undefined }),
    })
  }
  const value = `${chain ?? origin.chainId ?? ''} ${origin.protocol ?? ''}`
  const options = [
    ...protocols.map((each) => ({ group: 'Protocols', value: ` ${each.value}`, label: each.label })),
    ...chains.flatMap((chain) => [
      { group: 'Chains', value: `${chain.chainId} `, label: chain.name },
      ...(chain.protocols.length < 2 ? [] : chain.protocols).map((protocol) => ({
        group: 'Chains',
        value: `${chain.chainId} ${protocol}`,
        label: `${chain.name} · ${protocolName([chain], protocol)}`,
      })),
    ]),
  ]
  const isListed = value === ' ' || options.some((option) => option.value === value)
  return (
    <select
      className={styles.switch}
      aria-label="Lists show"
      value={value}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value=" ">All chains</option>
      {!isListed && <option value={value}>{value.trim()}</option>}
      {['Protocols', 'Chains'].map((group) => (
        <optgroup key={group} label={group}>
          {options
            .filter((option) => option.group === group)
            .map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  )
}
