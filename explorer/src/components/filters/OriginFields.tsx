import { SelectField } from './SelectField.tsx'
import { useChainChoices, useProtocolChoices } from './useChainChoices.ts'

/** The chain and protocol of records; undefined members do not filter. */
export interface Origin {
  readonly chainId?: string | undefined
  readonly protocol?: string | undefined
}

export interface OriginFieldsProps {
  readonly value: Origin
  readonly onChange: (patch: Origin) => void
}

/** The choices of chain and protocol, which every list has. */
export function OriginFields({ value: { chainId, protocol }, onChange }: OriginFieldsProps) {
  const chains = useChainChoices()
  const protocols = useProtocolChoices()
  return (
    <>
      <SelectField
        label="Chain"
        choices={chains}
        value={chainId ?? ''}
        onChange={(value) => onChange({ chainId: value === '' ? undefined : value })}
      />
      <SelectField
        label="Protocol"
        choices={protocols}
        value={protocol ?? ''}
        onChange={(value) => onChange({ protocol: value === '' ? undefined : value })}
      />
    </>
  )
}
