import { SelectField } from './SelectField.tsx'
import { useMomentChain } from '../useMoment.ts'
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
  const only = useMomentChain()
  const chains = useChainChoices().filter((choice) => only === undefined || choice.value === only)
  const protocols = useProtocolChoices()
  return (
    <>
      <SelectField
        label="Chain"
        choices={chains}
        value={only ?? chainId ?? ''}
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
