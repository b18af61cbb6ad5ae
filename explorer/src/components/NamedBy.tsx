import { knownName } from '../api/knownNames.ts'
import { nameSource } from '../format/nameSource.ts'
import { Icon } from './Icon.tsx'
import { SafeText } from './SafeText.tsx'

/** The name of an address or a schema with who gives it; nothing without a name. */
export function NamedBy({ id }: { readonly id: string }) {
  const known = knownName(id)
  if (known === undefined) return null
  const name = <SafeText text={known.name} lengthMax={100} />
  return (
    <span>
      {known.link === null ? (
        <strong>{name}</strong>
      ) : (
        <a href={known.link} target="_blank" rel="noreferrer">
          {name} <Icon name="external" />
        </a>
      )}{' '}
      {nameSource(known.source)}
    </span>
  )
}
