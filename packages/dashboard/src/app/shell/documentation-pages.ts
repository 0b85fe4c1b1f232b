import overview from '../../../../../docs/README.md?raw'

/** A page of the documentation that a service serves. */
interface DocumentationPage {
  /** Its address below the documentation. */
  readonly page: string
  readonly title: string
  readonly contents: string
}

const [forUsers = ''] = overview.split(/^## Change it$/m, 1)

/** The pages that the overview of the documentation lists, without those for who changes Rollkey. */
export const documentationPages: readonly DocumentationPage[] = [
  ...forUsers.matchAll(
    /^\| \[(?<title>[^\]]+)\]\((?<path>(?:\.\.\/packages\/)?[a-z][^)]*)\.md\) \| (?<contents>.*) \|$/gm,
  ),
].map(({ groups: { title = '', path = '', contents = '' } = {} }) => ({
  // What a package says of itself is a page with its name.
  page: path.replace(/^\.\.\/packages\/(?<name>.*)\/README$/, '$<name>').replace(/README$/, ''),
  title,
  contents: contents.replaceAll('`', ''),
}))
