import type { KeyPath } from './describeValue.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * An environment whose values have neither white space nor a byte order mark at their ends: files of secrets end with a
 * line end, which mounts and editors keep.
 */
export function trimEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value?.trim()]))
}

export interface VariableMistake {
  readonly path: KeyPath
  /** The mistake as a clause that follows the key's path. */
  readonly text: string
}

/**
 * Replaces `${NAME}` by environment variables in every string of a parsed file. Substitution follows parsing, so that
 * no value of a variable changes the structure of the file. An empty variable counts as missing. A string with a
 * missing variable stays unchanged where `isOptional` returns true for its path.
 */
export function interpolateVariables(
  root: unknown,
  environment: Environment,
  isOptional: (path: KeyPath) => boolean,
): { readonly value: unknown; readonly mistakes: readonly VariableMistake[] } {
  const mistakes: VariableMistake[] = []
  return { value: walk(root, []), mistakes }

  function walk(value: unknown, path: KeyPath): unknown {
    if (typeof value === 'string') return interpolate(value, path)
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]))
  }

  function interpolate(text: string, path: KeyPath): string {
    if (!text.includes('${')) return text
    const missing: string[] = []
    const result = text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const value = environment[name]
      if (value === undefined || value === '') missing.push(name)
      return value ?? ''
    })
    if (text.replaceAll(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g, '').includes('${')) {
      mistakes.push({
        path,
        text: 'has a ${ that is not the start of ${NAME}, where NAME is the name of an environment variable in letters, digits and _',
      })
      return text
    }
    const [name] = missing
    if (name === undefined) return result
    if (isOptional(path)) return text
    const state = environment[name] === undefined ? 'not set' : 'empty'
    mistakes.push({
      path,
      text: `names the environment variable ${name}, which is ${state}; set it or write the value into the file`,
    })
    return text
  }
}

/** Whether errors are shown with their stacks. */
export function isDebug(environment: Environment): boolean {
  return (environment['ATTESTRY_DEBUG'] ?? '') !== ''
}
