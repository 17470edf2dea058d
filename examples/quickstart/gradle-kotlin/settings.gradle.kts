// tag::settings[]
rootProject.name = "shop"
// end::settings[]
