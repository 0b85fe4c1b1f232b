// npm ci and npm start run this first. It uses only the syntax and modules of Node 12.20, because an older Node could not read it otherwise.
const needed = [20, 19]

/** Exits with one sentence if this Node is too old. */
export function expectNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return
  console.error(
    `Rollkey needs Node ${needed.join('.')} or newer; this is ${process.version}. Install a newer one from https://nodejs.org.`,
  )
  process.exit(1)
}
