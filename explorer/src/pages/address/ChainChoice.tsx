import { useChains } from '../../components/useChain.ts'
import styles from './ChainChoice.module.css'

export interface ChainChoiceProps {
  /** Undefined: every chain. */
  readonly value: string | undefined
  readonly onChange: (chainId: string | undefined) => void
}

/** One chain, or all of them. */
export function ChainChoice({ value, onChange }: ChainChoiceProps) {
  const chains = useChains()
  return (
    <label className={styles.label}>
      Chain
      <select
        className={styles.select}
        value={value ?? ''}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : currentTarget.value)
        }
      >
        <option value="">All chains</option>
        {chains?.map((chain) => (
          <option key={chain.chainId} value={chain.chainId}>
            {chain.name}
          </option>
        ))}
        {value !== undefined && chains?.every((chain) => chain.chainId !== value) === true && (
          <option value={value}>Chain {value}</option>
        )}
      </select>
    </label>
  )
}
