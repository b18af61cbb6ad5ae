import { useChains } from '../../components/useChain.ts'
import { useMomentChain } from '../../components/useMoment.ts'
import styles from './ChainChoice.module.css'

export interface ChainChoiceProps {
  /** Undefined: every chain. */
  readonly value: string | undefined
  readonly onChange: (chainId: string | undefined) => void
}

/** One chain, or all of them. */
export function ChainChoice({ value, onChange }: ChainChoiceProps) {
  const only = useMomentChain()
  const chains = useChains()?.filter(({ chainId }) => only === undefined || chainId === only)
  return (
    <label className={styles.label}>
      Chain
      <select
        className={styles.select}
        value={only ?? value ?? ''}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : currentTarget.value)
        }
      >
        {only === undefined && <option value="">All chains</option>}
        {chains?.map((chain) => (
          <option key={chain.chainId} value={chain.chainId}>
            {chain.name}
          </option>
        ))}
        {only === undefined &&
          value !== undefined &&
          chains?.every((chain) => chain.chainId !== value) === true && (
            <option value={value}>Chain {value}</option>
          )}
      </select>
    </label>
  )
}
