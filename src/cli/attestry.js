#!/usr/bin/env node
// Node.js versions that cannot run TypeScript fail on main.ts with a stack; this file, which any of them can run, says what is
// wrong instead.
const versionMin = 24

if (Number(process.versions.node.split('.')[0]) < versionMin) {
  process.stderr.write(
    `attestry: Node.js ${process.versions.node} is too old; version ${versionMin} or newer is needed (npm start brings its own)\n`,
  )
  process.exitCode = 1
} else {
  await import('./main.ts')
}
