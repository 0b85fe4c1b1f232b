// For what npm ci and npm start run first, which keep to a syntax and to modules of Node 12.20: otherwise an old Node could not read this file.
const needed = [20, 19]

/** Ends the process of a Node that is too old with one sentence. */
export function expectNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return
  console.error(
    `Rollkey needs Node ${needed.join('.')} or newer; this is ${process.version}. Install a newer one from https://nodejs.org.`,
  )
  process.exit(1)
}
