// apps/live/src/styles.d.ts: what is imported for the bundler: style sheets, and pictures as their addresses
declare module "*.css";
declare module "*.webp" {
    const address: string;
    export default address;
}
