#!/usr/bin/env node
// Lets the README and the pages name npm, once the packages are published: node tools/published-texts.mjs
import { readFileSync, writeFileSync } from 'node:fs'

/** Texts that hold until the first release, by file, and those that follow. */
const texts = {
  'README.md': [['npm ci && npm start -- --demo\n', 'npx @rollkey/server --demo\n']],
  'docs/install.md': [
    [
      `In a checkout, with Node 20.19 or newer, this starts the service:

\`\`\`sh
npm ci && npm start
\`\`\`

**Rollkey 0.1.0 is not published yet, so today only [a checkout](#a-checkout) starts as printed.**
The other ways say how to build what they take.

`,
      `With Node 20.19 or newer, this starts the service:

\`\`\`sh
npx @rollkey/server
\`\`\`

\`npm run build:release\` in a checkout builds everything on this page.

`,
    ],
    [
      `Not published yet: today, \`npm run build:release -- packages && npm pack ./packages/server/dist ./packages/cli\` in a checkout makes the
tarballs, and \`npx --package file:/path/to/rollkey-server-0.1.0.tgz rollkey-server\` runs one.

`,
      '',
    ],
    [
      `Not published yet: today, \`npm run build:release -- packages executables\` in a checkout writes these files to \`dist/\`; go on with \`install\`.

`,
      '',
    ],
    [
      `Not published yet: today, \`npm run build:release -- packages executables image\` in a checkout makes it in \`dist/\` (with \`dpkg-deb\`).

`,
      '',
    ],
    [
      `Not published yet: today, carry over the files that \`npm run build:release -- packages executables image\` in a checkout writes to \`dist/\`.

`,
      '',
    ],
  ],
  'docs/cli.md': [
    [
      `**Do not run \`npx rollkey\` outside a checkout.**
\`@rollkey/cli\` is not published yet, so npx would run a package of another publisher.
`,
      `With npm, \`npx @rollkey/cli\` runs it, and \`npm install --global @rollkey/cli\` installs it as \`rollkey\`.
**Do not run \`npx rollkey\` outside a checkout**: the package of that name has another publisher.
`,
    ],
  ],
  'packages/sdk/README.md': [
    [
      'The package is not published yet: until then, `npm pack ./packages/sdk` in a checkout writes the file to install.\n\n',
      '',
    ],
  ],
  'packages/openfeature/README.md': [
    [
      `The first two are not published yet: until then, \`npm pack ./packages/sdk ./packages/openfeature\` in a checkout writes the files to install.

`,
      '',
    ],
  ],
}

for (const [file, edits] of Object.entries(texts)) {
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of edits) {
    if (!text.includes(from) && !text.includes(to)) throw new Error(`${file} has no text to replace (expected ${from})`)
    text = text.replace(from, () => to)
  }
  writeFileSync(file, text)
}
