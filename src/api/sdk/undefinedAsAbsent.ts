import type { Parameter } from '../parameters/parameter.ts'

/**
 * The same parameter for a client that writes out what its caller left undefined: the text `undefined` means that it is absent.
 */
export function undefinedAsAbsent<Value>(parameter: Parameter<Value>): Parameter<Value> {
  const { absent, read } = parameter
  if (absent === null) return parameter
  return { ...parameter, read: (text) => (text === 'undefined' ? absent.value : read(text)) }
}
