import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Rewrites the imports in the declarations of the bundled entries. The compiler names modules of private packages,
 * which are not published; their declarations stand in `dist/types` as well.
 */
const types = join(import.meta.dirname, '..', 'dist', 'types')

for (const file of globSync('**/*.d.ts', { cwd: types })) {
  const path = join(types, file)
  const text = readFileSync(path, 'utf8').replaceAll(
    /(?<=from ['"])@attestry\/([a-z]+)\/(?=[^'"]+\.ts['"])/g,
    (_all, name: string) => {
      const target = relative(dirname(path), join(types, 'packages', name, 'src'))
      return `${target.startsWith('.') ? target : `./${target}`}/`
    },
  )
  writeFileSync(path, text)
}
