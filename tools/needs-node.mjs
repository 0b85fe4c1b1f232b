// Ends a process of a Node that is too old with one sentence. Whoever imports this does so first, and keeps to a syntax and to modules
// of Node 12.20, which would not come as far as this file otherwise.
const needed = [20, 19]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(
    `Rollkey needs Node ${needed.join('.')} or newer; this is ${process.version}. Install a newer one from https://nodejs.org.`,
  )
  process.exit(1)
}
